import { expect, onTestFinished, test } from "vitest";
import { HttpTransport } from "../http/http-transport.ts";
import { eventually } from "../testing/eventually.ts";
import { answerJSON, answerStatus, startStubServer } from "../testing/stub-server.ts";
import { fence } from "./lease-elector.ts";

test("a write whose retry the server asked for is not sent again once the lease has run out", async () => {
  let isFresh = true;
  const server = await startStubServer(({ method }, response) => {
    if (method === "GET") return answerJSON(response, {});
    // The process is suspended until after its lease expired, and resumes during the delay before the retry.
    isFresh = false;
    answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } });
  });
  const assertFresh = (): void => {
    if (!isFresh) throw new Error("the lease ran out");
  };
  const transport = new HttpTransport(server.config, { beforeSend: fence({ assertFresh }) });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  await expect(transport.send({ method: "PATCH", path: "/a", body: {} })).rejects.toThrow(
    "the lease ran out",
  );
  expect(server.requests.map(({ method }) => method)).toEqual(["PATCH"]);
  expect((await transport.send({ path: "/a" })).status).toBe(200);
  expect(server.connections.opened).toBe(1);
});

test("a process whose lease has run out opens no WebSocket, which may carry a command", async () => {
  const server = await startStubServer((_, response) => answerJSON(response, {}));
  const assertFresh = (): void => {
    throw new Error("the lease ran out");
  };
  const transport = new HttpTransport(server.config, { beforeSend: fence({ assertFresh }) });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  await expect(transport.send({ path: "/a", webSocket: ["v5.channel.k8s.io"] })).rejects.toThrow("lease");
  expect(server.requests).toEqual([]);
  await eventually(() => expect(server.connections.open).toBe(0));
});
