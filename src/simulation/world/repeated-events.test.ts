import { expect, test } from "vitest";
import { RepeatedEvents } from "./repeated-requests.ts";

const headers = { "content-type": "application/json" };

/** Makes a server of Events that answers with one status. */
function serverOf(status: number) {
  const events = new RepeatedEvents();
  const handled: string[] = [];
  const post = async (name: string | undefined, note: string, method = "POST"): Promise<number> => {
    const body = JSON.stringify({ metadata: { name }, note, eventTime: `when ${name} was made` });
    const answer = await events.answer({ method, path: "/events", headers, body }, async () => {
      handled.push(`${name} ${note}`);
      return { status, headers, body: Buffer.from(body) };
    });
    expect(answer.body.toString()).toBe(body);
    return answer.status;
  };
  return { handled, post };
}

test("an Event that repeats an accepted one at another time is accepted without the server", async () => {
  const { handled, post } = serverOf(201);

  expect([await post("a", "invalid"), await post("b", "invalid"), await post("c", "full")]).toEqual([
    201, 201, 201,
  ]);
  expect(handled).toEqual(["a invalid", "c full"]);
});

test("the server gets a second Event of the same name, which it refuses", async () => {
  const { handled, post } = serverOf(201);

  await post("a", "invalid");
  await post("a", "invalid");

  expect(handled).toEqual(["a invalid", "a invalid"]);
});

test("the server handles an Event again that it refused", async () => {
  const { handled, post } = serverOf(403);

  expect([await post("a", "invalid"), await post("b", "invalid")]).toEqual([403, 403]);
  expect(handled).toHaveLength(2);
});

test("the server names Events, and counts those of a series", async () => {
  const { handled, post } = serverOf(201);
  for (const method of ["POST", "POST"]) await post(undefined, "nameless", method);
  for (const method of ["PATCH", "PATCH"]) await post("a", "counted", method);

  expect(handled).toHaveLength(4);
});
