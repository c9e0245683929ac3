import { defineKind } from "@tsbuilder/apimachinery/meta";
import { expect, onTestFinished, test } from "vitest";
import { startStubServer } from "../testing/stub-server.ts";
import { createClient, type LiveClient } from "./live-client.ts";

const ConfigMap = defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps" });
const key = { name: "a", namespace: "b" };

const calls: { readonly [name: string]: (client: LiveClient) => Promise<unknown> } = {
  "get()": (client) => client.get(ConfigMap, key),
  "list()": (client) => client.list(ConfigMap),
  "create()": (client) => client.create(ConfigMap, { metadata: key }),
  "delete()": (client) => client.delete(ConfigMap, key),
  "deleteAllOf()": (client) => client.deleteAllOf(ConfigMap, { namespace: "b" }),
  "subresource().get()": (client) => client.subresource(ConfigMap, key, "scale").get(),
};

async function clientOf(status: number, body: string, headers = {}): Promise<LiveClient> {
  const server = await startStubServer((_, response) => void response.writeHead(status, headers).end(body));
  const client = createClient(server.config);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return client;
}

test.for(Object.entries(calls))(
  "Client.%s throws an ApiError for an answer that is not a Kubernetes object",
  async ([, call]) => {
    for (const body of ["<html>Please log in</html>", "", "null", "5", "[]", '{"metadata":']) {
      const client = await clientOf(200, body);
      await expect(call(client)).rejects.toMatchObject({
        name: "ApiError",
        status: 0,
        reason: "Malformed",
      });
    }
  },
);

test("Client.create() takes the answer of a kind that is never stored, which may have no metadata", async () => {
  const client = await clientOf(201, '{"apiVersion":"v1","kind":"ConfigMap","data":{"allowed":"true"}}');
  expect(await client.create(ConfigMap, { metadata: key })).toMatchObject({ data: { allowed: "true" } });
});

test("Client.list() throws an ApiError for a list without metadata, and for items that are not objects", async () => {
  for (const body of [
    "{}",
    '{"items":[]}',
    '{"metadata":{},"items":[1]}',
    '{"metadata":{},"items":[null]}',
  ]) {
    const client = await clientOf(200, body);
    await expect(client.list(ConfigMap)).rejects.toMatchObject({ reason: "Malformed" });
  }
  const client = await clientOf(200, '{"metadata":{},"items":null}');
  expect(await client.list(ConfigMap)).toEqual([]);
});

test.for(Object.entries(calls))(
  "Client.%s reports the target of a redirect, and does not follow it",
  async ([, call]) => {
    const client = await clientOf(302, "moved", { location: "https://login.example.com/" });
    await expect(call(client)).rejects.toMatchObject({
      status: 302,
      message: expect.stringContaining("redirected to https://login.example.com/") as string,
    });
  },
);
