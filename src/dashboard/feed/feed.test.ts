import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { Feed } from "./feed.ts";

let server: Server | undefined;
afterEach(() => {
  vi.unstubAllGlobals();
  server?.closeAllConnections();
  server?.close();
});

/** Returns a feed of a server with these answers. */
async function feedOf(listener: RequestListener): Promise<Feed> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const { port } = started.address() as AddressInfo;
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (path: string, options: RequestInit) =>
    fetch(`http://127.0.0.1:${port}${path}`, options),
  );
  return new Feed("secret");
}

const at = "2026-01-01T00:00:00.000Z";
const session = { type: "session", format: 1, at, project: "shop", tsbuilder: "0.1.0" };
const lines = (...all: object[]): string => all.map((line) => `${JSON.stringify(line)}\n`).join("");
const printed = (text: string) => ({ type: "operator", at, text });

test("a recorded session is read to its end, however long it is", async () => {
  const long = printed("x".repeat(1024 * 1024));
  const feed = await feedOf(({ headers }, response) => {
    expect(headers.authorization).toBe("Bearer secret");
    response.write(lines(session));
    for (let count = 0; count < 70; count++) response.write(lines(long));
    response.end(lines({ type: "end" }));
  });
  await feed.run();
  expect([feed.state, feed.history.printed.length, feed.session?.project]).toEqual(["ended", 70, "shop"]);
});

test("a session that goes away has no actions any more, and is read anew when it is back", async () => {
  let answered = 0;
  const feed = await feedOf((_, response) => {
    answered++;
    response.write(lines(session, printed(String(answered)), { type: "live", actions: ["restart"] }));
    if (answered === 1) setTimeout(() => response.destroy(), 10);
    else if (answered === 2) response.end(lines({ type: "end" }));
  });
  const seen = new Set<string>();
  feed.subscribe(() => seen.add(`${feed.state} ${feed.actions.join()}`));
  await feed.run();
  expect([...seen]).toContain("disconnected ");
  expect(feed.history.printed.map(({ text }) => text)).toEqual(["2"]);
});

test("a feed with a wrong token is refused, and does not retry", async () => {
  const feed = await feedOf((_, response) => void response.writeHead(401).end());
  await feed.run();
  expect(feed.state).toBe("refused");
});

test.each([
  ["an error's causes", 422, '{"message":"no","causes":[{"field":"spec.a","message":"bad"}]}', "no"],
  ["an answer that is none", 502, "<html>", "dev did not answer"],
])("an action fails with %s", async (_, code, body, message) => {
  const feed = await feedOf((__, response) => void response.writeHead(code).end(body));
  await expect(feed.act("restart", {})).rejects.toMatchObject({ message, causes: expect.any(Array) });
});

test("an action that nobody answers fails, too", async () => {
  const feed = await feedOf((_, response) => void response.destroy());
  await expect(feed.act("restart", {})).rejects.toMatchObject({ message: "dev did not answer" });
  await eventually(() => expect(feed.state).toBe("loading"));
});
