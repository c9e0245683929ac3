import { getEventListeners } from "node:events";
import type http from "node:http";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import {
  answerJSON,
  answerStatus,
  type StubAnswer,
  type StubServer,
  startStubServer,
} from "../testing/stub-server.ts";
import { ApiError } from "../errors/api-error.ts";
import { type ApiWarning, runInCallContext } from "../scope/call-context.ts";
import type { ClusterConfig } from "./config.ts";
import { HttpTransport } from "./http-transport.ts";
import type { RequestReport, TransportOptions } from "./transport.ts";

async function connect(
  answer: StubAnswer,
  options: TransportOptions = {},
  config: Partial<ClusterConfig> = {},
): Promise<{ server: StubServer; transport: HttpTransport }> {
  const server = await startStubServer(answer);
  const transport = new HttpTransport({ ...server.config, ...config }, options);
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  return { server, transport };
}

const path = "/version";

test("HttpTransport sends many requests over few connections", async () => {
  const { server, transport } = await connect((_, response) => answerJSON(response, {}), {
    maxConnections: 3,
  });
  for (let at = 0; at < 100; at++) await transport.send({ path });
  expect(server.connections.opened).toBe(1);
  await Promise.all(Array.from({ length: 100 }, () => transport.send({ path })));
  expect(server.connections.opened).toBe(3);
});

test("HttpTransport repeats any request if the server sends Retry-After", async () => {
  let refusals = 3;
  const { server, transport } = await connect((_, response) => {
    if (refusals-- > 0) answerStatus(response, 429, "TooManyRequests", { headers: { "retry-after": "0" } });
    else answerJSON(response, { done: true });
  });
  const { text } = await transport.send({ method: "POST", path, body: { a: 1 } });
  expect(JSON.parse(text)).toEqual({ done: true });
  expect(server.requests.map(({ body }) => body)).toEqual(Array.from({ length: 4 }, () => '{"a":1}'));
});

test("HttpTransport gives up after ten retries, and at once without Retry-After", async () => {
  const { server, transport } = await connect((request, response) => {
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
  const { server, transport } = await connect((request, response) => {
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
  const { transport } = await connect(() => {}, { clock });
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
  const { transport } = await connect((_, response) => (answer = response), { clock });
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
  const { transport } = await connect((request, response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write('{"half":', () => request.socket.resetAndDestroy());
  });
  const write = transport.send({ method: "POST", path, body: {} });
  await expect(write).rejects.toMatchObject({ isUnreachable: true });
});

test("HttpTransport reports what a proxy answered instead of the server", async () => {
  const { transport } = await connect((_, response) => response.writeHead(502).end("<h1>Bad Gateway</h1>"));
  await expect(transport.send({ path })).rejects.toMatchObject({
    status: 502,
    message: "GET /version: <h1>Bad Gateway</h1>",
  });
});

test("HttpTransport keeps the server's message in the error", async () => {
  const causes = [{ field: "spec.size", message: "too big", reason: "FieldValueInvalid" }];
  const { transport } = await connect((_, response) =>
    answerStatus(response, 422, "Invalid", { details: { name: "w", causes } }),
  );
  const error = await transport.send({ method: "PUT", path, body: {} }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ isInvalid: true, request: "PUT /version", body: { details: { causes } } });
});

test("HttpTransport aborts a request and its connection with the signal", async () => {
  const { server, transport } = await connect(() => {});
  const abort = new AbortController();
  const request = transport.send({ path, signal: abort.signal });
  const reason = new Error("enough");
  await settled();
  abort.abort(reason);
  await expect(request).rejects.toBe(reason);
  await settled();
  expect(server.connections.open).toBe(0);
  await expect(transport.send({ path, signal: abort.signal })).rejects.toBe(reason);
});

test("HttpTransport lets many requests share a signal, without a warning or a leak", async () => {
  const { transport } = await connect((_, response) => answerJSON(response, {}));
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 30 }, () => transport.send({ path, signal })));
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
  await expect.poll(() => getEventListeners(signal, "abort")).toEqual([]);
});

test("HttpTransport stops waiting for a credential program when the signal is aborted", async () => {
  let asked = false;
  const credentials = {
    current() {
      asked = true;
      return new Promise<never>(() => {});
    },
  };
  const { server, transport } = await connect((_, response) => answerJSON(response, {}), {}, { credentials });
  const abort = new AbortController();
  const sent = transport.send({ path, signal: abort.signal });
  await expect.poll(() => asked).toBe(true);
  abort.abort(new Error("enough"));
  await expect(sent).rejects.toThrow("enough");
  expect(server.requests).toEqual([]);
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
});

test("HttpTransport aborts the delay before a retry with the signal", async () => {
  const clock = new FakeClock();
  const { transport } = await connect(
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
  const { server, transport } = await connect(
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

test("HttpTransport passes warnings on to the code that called, or to the client", async () => {
  const header = '299 - "use v2 \\"soon\\"", 299 - "unknown field"';
  const general: ApiWarning[] = [];
  const { transport } = await connect((_, response) => answerJSON(response, {}, 200, { warning: header }), {
    onWarning: (warning) => general.push(warning),
  });
  const own: string[] = [];
  await runInCallContext({ onWarning: ({ text }) => own.push(text) }, () => transport.send({ path }));
  expect(own).toEqual(['use v2 "soon"', "unknown field"]);
  expect(general).toEqual([]);
  await transport.send({ path });
  expect(general).toHaveLength(2);
  expect(general[0]?.request).toBe("GET /version");
});

test("HttpTransport requests new credentials once after a 401", async () => {
  const asked: boolean[] = [];
  const { server, transport } = await connect(
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
  const { server, transport } = await connect(
    (_, response) => answerStatus(response, 401, "Unauthorized"),
    {},
    { credentials: { current: () => ({ token: "bad" }) } },
  );
  await expect(transport.send({ path })).rejects.toMatchObject({ isUnauthorized: true });
  expect(server.requests).toHaveLength(2);
});

test("HttpTransport sends user agent, credentials and impersonation", async () => {
  const { server, transport } = await connect(
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

test("HttpTransport loads its config with the first request, and again if that failed", async () => {
  const server = await startStubServer((_, response) => answerJSON(response, {}));
  let loads = 0;
  const transport = new HttpTransport(async () => {
    if (loads++ === 0) throw new Error("not yet");
    return server.config;
  });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  expect(loads).toBe(0);
  await expect(transport.send({ path })).rejects.toThrow("not yet");
  await transport.send({ path });
  await transport.send({ path });
  expect(loads).toBe(2);
});

test("HttpTransport reports each attempt", async () => {
  const reports: RequestReport[] = [];
  let refusals = 1;
  const { transport } = await connect(
    (_, response) => {
      if (refusals-- > 0) answerStatus(response, 503, "Busy", { headers: { "retry-after": "0" } });
      else answerJSON(response, {});
    },
    { onRequest: (report) => reports.push(report) },
  );
  await transport.send({ path });
  expect(reports).toMatchObject([
    { method: "GET", code: "503", attempt: 0 },
    { method: "GET", code: "200", attempt: 1 },
  ]);
});

test("HttpTransport lets interceptors change, answer and reject requests", async () => {
  const { server, transport } = await connect((_, response) => answerJSON(response, {}), {
    interceptors: [
      (request, next) => next({ ...request, query: { ...request.query, first: 1 } }),
      (request, next) => {
        if (request.path === "/refused") throw new ApiError({ code: 403, reason: "Forbidden" });
        return next({ ...request, query: { ...request.query, second: 2 } });
      },
    ],
  });
  await transport.send({ path });
  expect(server.requests[0]?.query.toString()).toBe("first=1&second=2");
  await expect(transport.send({ path: "/refused" })).rejects.toMatchObject({ isForbidden: true });
});

test("HttpTransport keeps the path prefix of the server's URL", async () => {
  const server = await startStubServer((_, response) => answerJSON(response, {}));
  const transport = new HttpTransport({ server: `${server.config.server}/k8s/clusters/c-1/` });
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  await transport.send({ path });
  expect(server.requests[0]?.path).toBe("/k8s/clusters/c-1/version");
});
