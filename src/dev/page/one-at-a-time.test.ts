import { expect, test } from "vitest";
import { oneAtATime } from "./session-actions.ts";

test("a second request is refused until the first is done, be it by failing", async () => {
  const failures: ((error: Error) => void)[] = [];
  const action = oneAtATime(() => new Promise((_, reject) => void failures.push(reject)), "it is being done");
  for (const count of [1, 2]) {
    const first = action({});
    await expect(action({})).rejects.toMatchObject({ code: "REFUSED", message: "it is being done" });
    expect(failures).toHaveLength(count);
    failures.at(-1)!(new Error("no luck"));
    await expect(first).rejects.toThrow("no luck");
  }
});
