import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const digests = [1, 2].map((n) => `sha256:${String(n).repeat(64)}`);
let current = digests[0]!;
const server = createServer((request, response) => {
  if (request.url!.includes("gone")) response.writeHead(404).end();
  else response.setHeader("docker-content-digest", current).end();
});
let host = "";
beforeEach(async () => {
  current = digests[0]!;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  await folder.initialize();
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const mirrored = (): string =>
  folder.read("Dockerfile").replace("=node:", `=${host}/node:`).replace("=gcr.io/", `=${host}/`);

test("pins the base images of a new project, and renews them", async () => {
  writeFileSync(join(folder.root, "Dockerfile"), mirrored());
  expect(await folder.call("pin-images")).toContain("update Dockerfile");
  const pinned = folder.read("Dockerfile");
  expect(pinned).toContain(`ARG BUILD_IMAGE=${host}/node:24-slim@${digests[0]}\n`);
  expect(pinned).toContain(`ARG BASE_IMAGE=${host}/distroless/nodejs24-debian12:nonroot@${digests[0]}\n`);
  expect(await folder.call("pin-images")).toContain("The base images have the digests of their tags.");
  expect(folder.read("Dockerfile")).toBe(pinned);
  current = digests[1]!;
  await folder.call("pin-images");
  expect(folder.read("Dockerfile")).toBe(pinned.replaceAll(digests[0]!, digests[1]!));
});

test("writes nothing if one of the images is not found", async () => {
  const text = mirrored().replace("distroless", "gone");
  writeFileSync(join(folder.root, "Dockerfile"), text);
  await expect(folder.call("pin-images")).rejects.toMatchObject({ code: "REGISTRY_UNREACHABLE" });
  expect(folder.read("Dockerfile")).toBe(text);
});
