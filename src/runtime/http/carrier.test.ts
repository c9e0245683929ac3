import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { Carrier } from "./config.ts";
import { HttpTransport } from "./http-transport.ts";

const answerOf = (text: string, status = 200) => ({
  status,
  headers: {},
  text,
  bytes: text.length,
  stream: undefined,
});

function transportWith(carry: Carrier): HttpTransport {
  return new HttpTransport({
    server: "http://nowhere",
    credentials: { current: () => ({ token: "t" }) },
    carry,
  });
}

test("a carrier gets each request as it would be sent, and its answer is the answer", async () => {
  const seen: unknown[] = [];
  const transport = transportWith(async (request, { stream }) => {
    seen.push({ ...request, stream });
    return stream ? { ...answerOf(""), stream: Readable.from([Buffer.from("line\n")]) } : answerOf('{"a":1}');
  });
  const { text } = await transport.send({ method: "POST", path: "/x", query: { y: "é" }, body: { b: 2 } });
  expect(text).toBe('{"a":1}');
  const { stream } = await transport.send({ path: "/watch", stream: true });
  expect(String(await stream!.take(1).toArray())).toBe("line\n");
  expect(seen).toMatchObject([
    {
      method: "POST",
      path: "/x?y=%C3%A9",
      body: '{"b":2}',
      headers: { authorization: "Bearer t" },
      stream: false,
    },
    { method: "GET", path: "/watch", stream: true },
  ]);
});

test("a carrier's failures are those of a connection: reads are repeated, writes are not", async () => {
  let calls = 0;
  const transport = transportWith(async () => {
    if (++calls === 1) throw Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
    return answerOf("{}");
  });
  await transport.send({ path: "/x" });
  expect(calls).toBe(2);
  calls = 0;
  await expect(transport.send({ method: "POST", path: "/x" })).rejects.toMatchObject({ isUnreachable: true });
  await expect(
    transportWith(async () => answerOf('{"kind":"Status","reason":"Conflict"}', 409)).send({ path: "/x" }),
  ).rejects.toMatchObject({ isConflict: true });
});
