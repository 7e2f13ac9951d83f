-- Opens the file that is named on the command line, mends it by a quick fix of the server, and saves it.
-- Only what Neovim 0.7 has, so that the one of Debian 12 will do.

local function fail(why)
  io.stderr:write(why .. "\n")
  vim.cmd("cquit 1")
end

local function wait(what, holds)
  if not vim.wait(60000, holds, 20) then
    fail("this never came: " .. what .. ": " .. vim.inspect(vim.diagnostic.get(0)))
  end
end

local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do
    return answer.result
  end
  fail("no answer to " .. method)
end

local client = vim.lsp.start_client({ name = "ctxlint", cmd = { vim.env.CTXLINT_BIN, "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
wait("a finding", function() return #vim.diagnostic.get(0) == 1 end)
local found = vim.diagnostic.get(0)[1]

local place = { line = found.lnum, character = found.col }
local document = { uri = vim.uri_from_bufnr(0) }
local hover = ask("textDocument/hover", { textDocument = document, position = place })
if not hover or not hover.contents.value:find("**unordered-prefix**", 1, true) then
  fail("this is no page: " .. vim.inspect(hover))
end

-- In a buffer that is not saved: the fault goes and comes back.
local lines = vim.api.nvim_buf_get_lines(0, 0, -1, true)
vim.api.nvim_buf_set_lines(0, 0, -1, true, { "pass" })
wait("no finding", function() return #vim.diagnostic.get(0) == 0 end)
vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
wait("the finding again", function() return #vim.diagnostic.get(0) == 1 end)

local actions = ask("textDocument/codeAction", {
  textDocument = document,
  range = { start = place, ["end"] = place },
  context = { diagnostics = {} },
})
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
wait("no finding after the fix", function() return #vim.diagnostic.get(0) == 0 end)
vim.cmd("write")
vim.lsp.stop_client(client)
if not vim.wait(60000, function() return vim.lsp.get_client_by_id(client) == nil end, 20) then
  fail("the server did not end")
end
vim.cmd("qall!")
