import { expect, test } from "vitest";
import { RefusedRequests } from "./repeated-requests.ts";

/** Makes a server that answers with these statuses, one after the other, and then with the last one. */
function serverOf(...statuses: number[]) {
  const requests = new RefusedRequests<{ readonly status: number }>();
  const handled: number[] = [];
  const ask = async (request: string, during?: () => void): Promise<number> => {
    const { status } = await requests.answer(request, async () => {
      during?.();
      const next = statuses[Math.min(handled.length, statuses.length - 1)]!;
      handled.push(next);
      return { status: next };
    });
    return status;
  };
  return { requests, handled, ask };
}

test("a request that was refused twice is refused again without the server", async () => {
  const { handled, ask } = serverOf(404, 422, 500);

  expect([await ask("a"), await ask("a"), await ask("a"), await ask("a")]).toEqual([404, 422, 422, 422]);
  expect(handled).toEqual([404, 422]);
  expect(await ask("b")).toBe(500);
});

test("the server handles a refused request again once something has changed", async () => {
  const { requests, ask } = serverOf(422, 422, 201);
  await ask("a");
  await ask("a");

  requests.forget();

  expect(await ask("a")).toBe(201);
});

test("a refusal counts for nothing if something changed while the server handled the request", async () => {
  const { requests, ask } = serverOf(409, 409, 200);
  await ask("a");
  await ask("a", () => requests.forget());

  expect(await ask("a")).toBe(200);
});

test.each([200, 429, 500, 503])(
  "the server handles a request again that was answered with %d",
  async (status) => {
    const { handled, ask } = serverOf(status);

    for (let asked = 0; asked < 4; asked++) await ask("a");

    expect(handled).toHaveLength(4);
  },
);
