import { getEventListeners } from "node:events";
import type { Socket } from "node:net";
import { settled } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { connectToStub } from "../../../e2e/support/runtime/stub-transport.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { ApiError } from "../errors/api-error.ts";
import { type ApiWarning, runInCallContext } from "../scope/scope.ts";
import { eventually } from "../testing/eventually.ts";
import { answerJSON, answerStatus, startStubServer } from "../testing/stub-server.ts";
import { HttpTransport } from "./http-transport.ts";
import type { Interceptor, RequestReport } from "./transport.ts";

const path = "/version";

test("HttpTransport sends many requests over few connections", async () => {
  const { server, transport } = await connectToStub((_, response) => answerJSON(response, {}), {
    maxConnections: 3,
  });
  for (let at = 0; at < 100; at++) await transport.send({ path });
  expect(server.connections.opened).toBe(1);
  await Promise.all(Array.from({ length: 100 }, () => transport.send({ path })));
  expect(server.connections.opened).toBe(3);
});

test("HttpTransport reports what a proxy answered instead of the server", async () => {
  const { transport } = await connectToStub((_, response) =>
    response.writeHead(502).end("<h1>Bad Gateway</h1>"),
  );
  await expect(transport.send({ path })).rejects.toMatchObject({
    status: 502,
    message: "GET /version: <h1>Bad Gateway</h1>",
  });
});

test("HttpTransport keeps the server's message in the error", async () => {
  const causes = [{ field: "spec.size", message: "too big", reason: "FieldValueInvalid" }];
  const { transport } = await connectToStub((_, response) =>
    answerStatus(response, 422, "Invalid", { details: { name: "w", causes } }),
  );
  const error = await transport.send({ method: "PUT", path, body: {} }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ isInvalid: true, request: "PUT /version", body: { details: { causes } } });
});

test("HttpTransport aborts a request and its connection with the signal", async () => {
  const { server, transport } = await connectToStub(() => {});
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

test.each([true, false])(
  "HttpTransport ends a request whose signal is aborted at the last moment, with stream: %s",
  async (stream) => {
    const server = await startStubServer((_, response) => void response.write("never ends"));
    const abort = new AbortController();
    const transport = new HttpTransport(server.config, {
      beforeSend: () => abort.abort(new Error("enough")),
    });
    onTestFinished(async () => {
      await transport.close();
      await server.close();
    });
    await expect(transport.send({ path: "/watch", stream, signal: abort.signal })).rejects.toThrow("enough");
    await eventually(() => expect(server.connections.open).toBe(0));
  },
);

test("HttpTransport lets many requests share a signal, without a warning or a leak", async () => {
  const { transport } = await connectToStub((_, response) => answerJSON(response, {}));
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

test("HttpTransport passes warnings on to the code that called, or to the client", async () => {
  const header = '299 - "use v2 \\"soon\\"", 299 - "unknown field"';
  const general: ApiWarning[] = [];
  const { transport } = await connectToStub(
    (_, response) => answerJSON(response, {}, 200, { warning: header }),
    {
      onWarning: (warning) => general.push(warning),
    },
  );
  const own: string[] = [];
  await runInCallContext({ onWarning: ({ text }) => own.push(text) }, () => transport.send({ path }));
  expect(own).toEqual(['use v2 "soon"', "unknown field"]);
  expect(general).toEqual([]);
  await transport.send({ path });
  expect(general).toHaveLength(2);
  expect(general[0]?.request).toBe("GET /version");
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
  const { transport } = await connectToStub(
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
  const { server, transport } = await connectToStub((_, response) => answerJSON(response, {}), {
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

test("HttpTransport hands over a stream at once, even if this turn's slice is used up", async () => {
  const server = await startStubServer((_, response) => void response.write("begins"));
  let now = 0;
  const slices = new TimeSlices(undefined, () => (now += 1000));
  let turns = 0;
  const countTurns: Interceptor = async (request, next) => {
    const answer = await next(request);
    setImmediate(() => turns++);
    // The first question begins the slice; by the next one, a second has passed.
    expect(slices.isOpen).toBe(true);
    return answer;
  };
  const transport = new HttpTransport(server.config, { interceptors: [countTurns] }, slices);
  onTestFinished(async () => {
    await transport.close();
    await server.close();
  });
  const { stream } = await transport.send({ path, stream: true });
  expect(turns).toBe(0);
  stream!.destroy();
});

test("HttpTransport reports a stream that breaks before it is read to its reader only", async () => {
  let connection: Socket | undefined;
  const { transport } = await connectToStub((request, response) => {
    connection = request.socket;
    response.write("begins");
  });
  const { stream } = await transport.send({ path, stream: true });
  connection!.resetAndDestroy();
  await eventually(() => expect(stream!.destroyed).toBe(true));
  await expect(stream!.toArray()).rejects.toThrow("ECONNRESET");
});
