describe("agent", () => {
  let agent: Agent;
  beforeEach(() => {
    agent = new Agent();
  });

  it("keeps the question", async () => {
    const update = await agent.run();
    expect(update.messages).toHaveLength(2);
    expect(update.messages[1].id).toBe("q1__user");
    expect(update.done).not.toBeDefined();
    expect(update.tags).toContain("a");
  });

  test.each([1, 2])("counts", (n) => {
    assert.strictEqual(n, 1);
    assert(n);
  });
});
