import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parseImageReference } from "./image-reference.ts";
import { askDigest } from "./pin-image.ts";

const digest = `sha256:${"ab".repeat(32)}`;

async function startRegistry(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Wants a token from this address. */
const challenge = (realm: string) => ({ "www-authenticate": `Bearer realm="${realm}"` });

const ask = (image: string) => askDigest(parseImageReference(image));

test("asks for the digest of a tag, of all platforms", async () => {
  const asked: unknown[] = [];
  const host = await startRegistry((request, response) => {
    asked.push([request.method, request.url, request.headers.accept?.split(", ")[0]]);
    response.setHeader("docker-content-digest", digest).end();
  });
  expect(await ask(`${host}/team/base:v1`)).toBe(digest);
  expect(await ask(`${host}/base`)).toBe(digest);
  const index = "application/vnd.oci.image.index.v1+json";
  expect(asked).toEqual([
    ["HEAD", "/v2/team/base/manifests/v1", index],
    ["HEAD", "/v2/base/manifests/latest", index],
  ]);
});

test("gets the token that a registry asks for", async () => {
  const host = await startRegistry((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://registry");
    if (pathname === "/token")
      response.end(
        JSON.stringify({ token: `for ${searchParams.get("service")} ${searchParams.get("scope")}` }),
      );
    else if (request.headers.authorization === "Bearer for hub repository:base:pull")
      response.setHeader("docker-content-digest", digest).end();
    else {
      const realm = `http://${host}/token`;
      const challenge = `Bearer realm="${realm}",service="hub",scope="repository:base:pull"`;
      response.writeHead(401, { "www-authenticate": challenge }).end();
    }
  });
  expect(await ask(`${host}/base:v1`)).toBe(digest);
});

test.each<[string, RequestListener]>([
  ["answers with 404", (_, response) => void response.writeHead(404).end()],
  [
    "asks for a password",
    (_, response) => void response.writeHead(401, { "www-authenticate": "Basic" }).end(),
  ],
  [
    'sends clients to "nowhere" for a token',
    (_, response) => void response.writeHead(401, challenge("nowhere")).end(),
  ],
  ["names no digest", (_, response) => void response.end()],
  ["names no digest", (_, response) => void response.setHeader("docker-content-digest", "md5:1").end()],
])("a registry that %s is an error with a hint", async (why, answer) => {
  const host = await startRegistry(answer);
  await expect(ask(`${host}/base:v1`)).rejects.toMatchObject({
    code: "REGISTRY_UNREACHABLE",
    message: `the registry of ${host}/base:v1 gives no digest: it ${why}`,
  });
});

test.each(["<html>", "null", '"x"', "{}"])("a token server that answers %s gives no token", async (body) => {
  const host = await startRegistry((request, response) => {
    if (request.url === "/token") response.end(body);
    else response.writeHead(401, challenge(`http://${request.headers.host}/token`)).end();
  });
  await expect(ask(`${host}/base:v1`)).rejects.toMatchObject({
    code: "REGISTRY_UNREACHABLE",
    message: `the registry of ${host}/base:v1 gives no digest: ${host} gives no token`,
  });
});

test("a registry that is not there is an error with the reason", async () => {
  await expect(ask("127.0.0.1:1/base:v1")).rejects.toMatchObject({
    code: "REGISTRY_UNREACHABLE",
    message: expect.stringContaining("127.0.0.1:1") as string,
  });
});
