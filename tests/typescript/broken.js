const before = 1;
const other = load();
if (before) {
  const inner = ;
  use(inner);
}
const after = [before, other];
use(after);
