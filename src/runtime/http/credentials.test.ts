import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { connectToStub } from "../../../e2e/support/runtime/stub-transport.ts";
import { answerJSON, answerStatus } from "../testing/stub-server.ts";

const path = "/version";

test("HttpTransport stops waiting for a credential program when the signal is aborted", async () => {
  let asked = false;
  const credentials = {
    current() {
      asked = true;
      return new Promise<never>(() => {});
    },
  };
  const { server, transport } = await connectToStub(
    (_, response) => answerJSON(response, {}),
    {},
    { credentials },
  );
  const abort = new AbortController();
  const sent = transport.send({ path, signal: abort.signal });
  await expect.poll(() => asked).toBe(true);
  abort.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  expect(server.requests).toEqual([]);
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("HttpTransport requests new credentials once after a 401", async () => {
  const asked: boolean[] = [];
  const { server, transport } = await connectToStub(
    ({ headers }, response) => {
      if (headers.authorization === "Bearer new") answerJSON(response, {});
      else answerStatus(response, 401, "Unauthorized");
    },
    {},
    {
      credentials: {
        current({ refresh }) {
          asked.push(refresh);
          return { token: refresh ? "new" : "old" };
        },
      },
    },
  );
  await transport.send({ path });
  expect(asked).toEqual([false, true]);
  expect(server.requests).toHaveLength(2);
});

test("HttpTransport reports a 401 that new credentials don't fix", async () => {
  const { server, transport } = await connectToStub(
    (_, response) => answerStatus(response, 401, "Unauthorized"),
    {},
    { credentials: { current: () => ({ token: "bad" }) } },
  );
  await expect(transport.send({ path })).rejects.toMatchObject({ isUnauthorized: true });
  expect(server.requests).toHaveLength(2);
});

test("HttpTransport sends user agent, credentials and impersonation", async () => {
  const { server, transport } = await connectToStub(
    (_, response) => answerJSON(response, {}),
    { userAgent: "mysql-operator/1.2.0" },
    {
      credentials: { current: () => ({ username: "me", password: "secret" }) },
      impersonate: { user: "jane", uid: "7", groups: ["a", "b"], extra: { "example.com/team": ["x"] } },
    },
  );
  await transport.send({ path });
  expect(server.requests[0]?.headers).toMatchObject({
    "user-agent": "mysql-operator/1.2.0",
    authorization: `Basic ${Buffer.from("me:secret").toString("base64")}`,
    "impersonate-user": "jane",
    "impersonate-uid": "7",
    "impersonate-group": "a, b",
    "impersonate-extra-example.com%2fteam": "x",
  });
});
