import { expect, test } from "vitest";
import { currentScope, runInScope } from "./scope.ts";

test("a scope is kept after an await, and extends the one around it", async () => {
  const onWarning = (): void => {};
  await runInScope({ calls: { onWarning }, logFields: () => ({ a: 1, b: 1 }) }, async () => {
    await new Promise(setImmediate);
    runInScope({ logFields: () => ({ b: 2 }) }, () => {
      expect(currentScope()?.calls).toEqual({ onWarning });
      expect(currentScope()?.logFields?.()).toEqual({ a: 1, b: 2 });
    });
    expect(currentScope()?.logFields?.()).toEqual({ a: 1, b: 1 });
    runInScope({ calls: {} }, () => expect(currentScope()?.logFields?.()).toEqual({ a: 1, b: 1 }));
  });
  expect(currentScope()).toBeUndefined();
});
