import type http from "node:http";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { connectToStub } from "../../../e2e/support/runtime/stub-transport.ts";
import { answerJSON, answerStatus } from "../testing/stub-server.ts";

const path = "/version";

test("HttpTransport repeats any request if the server sends Retry-After", async () => {
  let refusals = 3;
  const { server, transport } = await connectToStub((_, response) => {
    if (refusals-- > 0) answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } });
    else answerJSON(response, { done: true });
  });
  const { text } = await transport.send({ method: "POST", path, body: { a: 1 } });
  expect(JSON.parse(text)).toEqual({ done: true });
  expect(server.requests.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => '{"a":1}'));
});

test("HttpTransport gives up after ten retries, and at once without Retry-After", async () => {
  const { server, transport } = await connectToStub((request, response) => {
    const headers = request.path === "/later" ? { "retry-after": "0" } : {};
    answerStatus(response, 503, "ServiceUnavailable", { headers });
  });
  await expect(transport.send({ path: "/later" })).rejects.toMatchObject({ status: 503 });
  expect(server.requests).toHaveLength(11);
  await expect(transport.send({ path: "/never" })).rejects.toMatchObject({ status: 503 });
  expect(server.requests).toHaveLength(12);
});

test("HttpTransport repeats a read whose connection broke, and never a write", async () => {
  let breaks = 0;
  const { server, transport } = await connectToStub((request, response) => {
    if (breaks-- > 0) request.socket.resetAndDestroy();
    else answerJSON(response, {});
  });
  breaks = 2;
  expect((await transport.send({ path })).status).toBe(200);
  expect(server.requests).toHaveLength(3);
  breaks = 1;
  const write = transport.send({ method: "POST", path, body: {} });
  await expect(write).rejects.toMatchObject({ status: 0, reason: "Unreachable", isUnreachable: true });
  expect(server.requests).toHaveLength(4);
});

test("HttpTransport times out on a server that doesn't answer", async () => {
  const clock = new FakeClock();
  const { transport } = await connectToStub(() => {}, { clock });
  const sent = transport.send({ path });
  sent.catch(() => {});
  await settled();
  await clock.advance(65_000);
  await expect(sent).rejects.toMatchObject({ reason: "Timeout", isTimeout: true });
  expect(clock.timers).toBe(0);
});

test("HttpTransport waits as long as data arrives", async () => {
  const clock = new FakeClock();
  let answer: http.ServerResponse | undefined;
  const { transport } = await connectToStub((_, response) => (answer = response), { clock });
  const sent = transport.send({ path });
  await settled();
  answer!.writeHead(200);
  for (const part of ['{"slow":', "true", "}"]) {
    await clock.advance(64_000);
    answer!.write(part);
    await settled();
  }
  answer!.end();
  expect((await sent).text).toBe('{"slow":true}');
  expect(clock.timers).toBe(0);
});

test("HttpTransport detects a truncated answer", async () => {
  const { transport } = await connectToStub((request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"half":', () => request.socket.resetAndDestroy());
  });
  const write = transport.send({ method: "POST", path, body: {} });
  await expect(write).rejects.toMatchObject({ isUnreachable: true });
});

test("HttpTransport aborts the delay before a retry with the signal", async () => {
  const clock = new FakeClock();
  const { transport } = await connectToStub(
    (_, response) => answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "3600" } }),
    { clock },
  );
  const abort = new AbortController();
  const sent = transport.send({ path, signal: abort.signal });
  await settled();
  expect(clock.timers).toBe(1);
  abort.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  expect(clock.timers).toBe(0);
});

test.each([
  ["seconds", "30"],
  ["a date", "Mon, 01 Jan 2024 00:00:30 GMT"],
])("HttpTransport retries after the delay in %s", async (_, header) => {
  const clock = new FakeClock();
  let refusals = 1;
  const { server, transport } = await connectToStub(
    (_, response) => {
      if (refusals-- > 0)
        answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": header } });
      else answerJSON(response, {});
    },
    { clock },
  );
  const sent = transport.send({ path });
  await settled();
  await clock.advance(29_999);
  await settled();
  expect(server.requests).toHaveLength(1);
  await clock.advance(1);
  expect((await sent).status).toBe(200);
});
