import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { answerJSON } from "../testing/stub-server.ts";
import { HttpTransport } from "./http-transport.ts";
import { loadConfig } from "../config/load-config.ts";

/** A server that returns the name on the caller's certificate, and whose own certificate can be replaced. */
async function secureServer(clientCA: string): Promise<{ url: string; use: (ca: CA) => string }> {
  const server = https.createServer(
    { ca: clientCA, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      answerJSON(response, { name: subject?.CN ?? null });
    },
  );
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    use(ca) {
      const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
      server.setSecureContext({ cert, key, ca: clientCA });
      for (const socket of sockets) socket.destroy();
      return cert;
    },
  };
}

type CA = ReturnType<typeof createCA>;

test("HttpTransport notices a new authority and a new client certificate without a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tls-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clientCA = createCA({ commonName: "clients" });
  const write = (file: string, content: string): string => {
    writeFileSync(join(folder, file), content);
    return file;
  };
  const writeClient = (commonName: string): void => {
    const { cert, key } = issueCertificate(clientCA, { commonName, usages: ["client"] });
    write("tls.crt", cert);
    write("tls.key", key);
  };
  const [first, second] = [createCA({ commonName: "first" }), createCA({ commonName: "second" })];
  const server = await secureServer(clientCA.cert);
  server.use(first);
  write("ca.crt", first.cert);
  writeClient("jane");
  const kubeconfig = {
    "current-context": "c",
    clusters: [
      { name: "c", cluster: { server: server.url, "certificate-authority": join(folder, "ca.crt") } },
    ],
    users: [
      {
        name: "u",
        user: { "client-certificate": join(folder, "tls.crt"), "client-key": join(folder, "tls.key") },
      },
    ],
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  };
  const config = await loadConfig({ kubeconfig, env: {} });
  const transport = new HttpTransport(config);
  onTestFinished(() => transport.close());
  const whoAmI = async (): Promise<unknown> => JSON.parse((await transport.send({ path: "/" })).text);
  expect(await whoAmI()).toEqual({ name: "jane" });

  server.use(second);
  await expect(whoAmI()).rejects.toMatchObject({ isUnreachable: true });
  write("ca.crt", second.cert);
  writeClient("john");
  expect(await whoAmI()).toEqual({ name: "john" });
});

test("HttpTransport trusts the server's own certificate if the config contains it, whoever signed it", async () => {
  const server = await secureServer(createCA({ commonName: "clients" }).cert);
  const transport = new HttpTransport({
    server: server.url,
    ca: server.use(createCA({ commonName: "root" })),
  });
  onTestFinished(() => transport.close());
  expect(JSON.parse((await transport.send({ path: "/" })).text)).toEqual({ name: null });
});

test.for([
  ["an authority that is not a certificate", { ca: "hello" }, "authority of context x holds no certificate"],
  ["an authority's file that is a folder", { caFile: tmpdir() }, `${tmpdir()} can't be read`],
  [
    "a client certificate that is none",
    { credentials: { current: () => ({ cert: "hello", key: "hello" }) } },
    "certificates of context x can't be used",
  ],
] as const)("HttpTransport reports what is wrong with %s", async ([, config, message]) => {
  const transport = new HttpTransport({ server: "https://127.0.0.1:1", source: "context x", ...config });
  await expect(transport.send({ path: "/" })).rejects.toMatchObject({
    status: 0,
    message: expect.stringContaining(message) as string,
  });
});
