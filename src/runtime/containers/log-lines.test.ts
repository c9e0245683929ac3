import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import * as fc from "fast-check";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { answerStatus, type StubRequest, type StubServer, startStubServer } from "../testing/stub-server.ts";
import { eventually } from "../testing/eventually.ts";

const pod = { metadata: { namespace: "default", name: "db-0" } };

async function connect(
  answer: (request: StubRequest, response: ServerResponse) => unknown,
): Promise<{ server: StubServer; client: LiveClient }> {
  const server = await startStubServer(answer);
  const client = createClient(server.config);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return { server, client };
}

test("logs() asks for what its options name, and sends nothing before it is read", async () => {
  const { server, client } = await connect((_, response) => response.end("ready\nüber\n\nrest"));
  const since = new Date(Date.UTC(2026, 0, 1));
  const logs = client.logs(pod, { container: "mysql", tail: 10, since, timestamps: true, previous: true });
  expect(server.requests).toHaveLength(0);
  expect(await logs.text()).toBe("ready\nüber\n\nrest\n");
  expect(server.requests[0]).toMatchObject({ path: "/api/v1/namespaces/default/pods/db-0/log" });
  expect(Object.fromEntries(server.requests[0]!.query)).toEqual({
    container: "mysql",
    tailLines: "10",
    sinceTime: "2026-01-01T00:00:00.000Z",
    timestamps: "true",
    previous: "true",
  });
  await client.logs(pod, { since: "1m30s" }).text();
  expect(server.requests[1]!.query.get("sinceSeconds")).toBe("90");
});

test("leaving the loop over a log ends the request", async () => {
  const { server, client } = await connect((_, response) => response.write("one\ntwo\nthr"));
  const lines: string[] = [];
  for await (const line of client.logs(pod, { follow: true })) {
    lines.push(line);
    if (lines.length === 2) break;
  }
  expect(lines).toEqual(["one", "two"]);
  await eventually(() => expect(server.connections.open).toBe(0));
});

test("logs() throws the server's reason, and the signal's", async () => {
  const { client } = await connect((_, response) => answerStatus(response, 400, "BadRequest"));
  await expect(client.logs(pod).text()).rejects.toMatchObject({ name: "ApiError", status: 400 });
  const { client: silent, server } = await connect((_, response) => response.write("one\n"));
  const abort = new AbortController();
  const read = async (): Promise<void> => {
    for await (const _ of silent.logs(pod, { follow: true, signal: abort.signal }))
      abort.abort(new Error("enough"));
  };
  await expect(read()).rejects.toThrow("enough");
  await eventually(() => expect(server.connections.open).toBe(0));
});

test("lines are the same wherever the pieces of an answer end", async () => {
  const { client } = await connect(({ query }, response) => {
    const [text, cuts] = JSON.parse(query.get("container")!) as [string, number[]];
    const bytes = Buffer.from(text);
    const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    let start = 0;
    for (const end of [...ends, bytes.length]) {
      response.write(bytes.subarray(start, end));
      start = end;
    }
    response.end();
  });
  const alphabet = fc.constantFrom("a", "\n", "ü", "😀", "\r", " ");
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: alphabet, maxLength: 40 }),
      fc.array(fc.nat(200), { maxLength: 8 }),
      async (text, cuts) => {
        const read = await client.logs(pod, { container: JSON.stringify([text, cuts]) }).text();
        expect(read).toBe(text === "" || text.endsWith("\n") ? text : `${text}\n`);
      },
    ),
  );
});
