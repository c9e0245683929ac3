import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { answerJSON, startStubServer } from "../testing/stub-server.ts";
import { HttpTransport } from "./http-transport.ts";
import { proxyFromEnvironment } from "../config/load-config.ts";

/** Listens on the loopback interface until the test ends. */
async function listen(server: net.Server): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on("connection", (socket: net.Socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function connectProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = http.createServer().on("connect", (request, socket: net.Socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    const [host, port] = request.url!.split(":");
    const target = net.connect(Number(port), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      target.pipe(socket).pipe(target);
    });
    target.on("error", () => socket.destroy());
  });
  return { url: `http://me:secret@127.0.0.1:${await listen(proxy)}`, asked };
}

/** A SOCKS 5 proxy that admits one user, and implements nothing else. */
async function socksProxy(): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const proxy = net.createServer((socket) => {
    let step = 0;
    socket.on("data", (bytes) => {
      step++;
      if (step === 1) socket.write(Buffer.of(5, bytes[2]!));
      else if (step === 2) socket.write(Buffer.of(1, bytes.toString().includes("secret") ? 0 : 1));
      else if (step === 3) {
        const length = bytes[4]!;
        const host = bytes.subarray(5, 5 + length).toString();
        const port = bytes.readUInt16BE(5 + length);
        asked.push(`${host}:${port}`);
        const target = net.connect(port, host, () => {
          socket.write(Buffer.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0));
          socket.removeAllListeners("data");
          target.pipe(socket).pipe(target);
        });
      }
    });
  });
  return { url: `socks5://me:secret@127.0.0.1:${await listen(proxy)}`, asked };
}

test.for([
  ["HTTP", connectProxy],
  ["SOCKS 5", socksProxy],
] as const)(
  "HttpTransport connects through a proxy of type %s, with TLS to the server itself",
  async ([, start]) => {
    const ca = createCA({ commonName: "test" });
    const own = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
    const server = https.createServer({ cert: own.cert, key: own.key }, (_, response) =>
      answerJSON(response, { a: 1 }),
    );
    const port = await listen(server);
    const proxy = await start();
    const config = { server: `https://127.0.0.1:${port}`, ca: ca.cert, proxyUrl: proxy.url };
    const transport = new HttpTransport(config);
    onTestFinished(() => transport.close());
    for (let at = 0; at < 3; at++) {
      expect(JSON.parse((await transport.send({ path: "/version" })).text)).toEqual({ a: 1 });
    }
    expect(proxy.asked).toHaveLength(1);
    expect(proxy.asked[0]).toContain(`127.0.0.1:${port}`);
  },
);

test.for(["http", "socks5", "https"])(
  "HttpTransport times out on a proxy of type %s that accepts connections but doesn't answer",
  async (kind) => {
    const held = new Set<net.Socket>();
    const proxy = net.createServer((socket) => {
      held.add(socket);
      // Read and discarded, so that the end is noticed.
      socket.resume().on("close", () => held.delete(socket));
    });
    const proxyUrl = `${kind}://127.0.0.1:${await listen(proxy)}`;
    const transport = new HttpTransport(
      { server: "https://10.0.0.1:6443", proxyUrl },
      { connectTimeout: 100 },
    );
    onTestFinished(() => transport.close());
    await expect(transport.send({ path: "/" })).rejects.toMatchObject({ isTimeout: true, status: 0 });
    await expect.poll(() => held.size).toBe(0);
  },
);

test("HttpTransport reports what a proxy refused", async () => {
  const proxy = http.createServer().on("connect", (_, socket) => socket.end("HTTP/1.1 407 Who\r\n\r\n"));
  const stub = await startStubServer((_, response) => answerJSON(response, {}));
  onTestFinished(() => stub.close());
  const transport = new HttpTransport({
    ...stub.config,
    proxyUrl: `http://127.0.0.1:${await listen(proxy)}`,
  });
  onTestFinished(() => transport.close());
  await expect(transport.send({ path: "/" })).rejects.toMatchObject({
    message: expect.stringContaining("407") as string,
  });
});

test("proxyFromEnvironment() respects NO_PROXY by name, suffix and range", () => {
  const proxy = (server: string, NO_PROXY = ""): string | undefined =>
    proxyFromEnvironment(server, { HTTPS_PROXY: "http://p:1", NO_PROXY });
  expect(proxy("https://api.example.com:6443")).toBe("http://p:1");
  expect(proxy("https://api.example.com", "other, .example.com")).toBeUndefined();
  expect(proxy("https://api.example.com", "example.com")).toBeUndefined();
  expect(proxy("https://badexample.com", "example.com")).toBe("http://p:1");
  expect(proxy("https://10.1.2.3:443", "10.0.0.0/8")).toBeUndefined();
  expect(proxy("https://[fd00::1]:443", "fd00::/8")).toBeUndefined();
  expect(proxy("https://11.1.2.3", "10.0.0.0/8")).toBe("http://p:1");
  expect(proxy("https://[fd00::1]", "10.0.0.0/8")).toBe("http://p:1");
  expect(proxy("https://10.1.2.3", "fd00::/8")).toBe("http://p:1");
  expect(proxy("https://api.example.com", "10.0.0.0/8")).toBe("http://p:1");
  expect(proxy("https://anything", "*")).toBeUndefined();
  expect(proxy("https://127.0.0.1:6443")).toBeUndefined();
  expect(proxy("http://api.example.com")).toBeUndefined();
});

test.each([
  "10.0.0.0/99",
  "10.0.0.0/-1",
  "10.0.0.0/1.5",
  "10.0.0.0/",
  "10.0.0.0/8/8",
  "::/129",
  "//",
  ":",
  "]:1",
])("proxyFromEnvironment() takes no notice of %j in NO_PROXY", (NO_PROXY) => {
  for (const server of ["https://10.1.2.3", "https://[fd00::1]", "https://api.example.com"])
    expect(proxyFromEnvironment(server, { HTTPS_PROXY: "http://p:1", NO_PROXY })).toBe("http://p:1");
});

test("proxyFromEnvironment() compares a port in NO_PROXY with the server's", () => {
  const proxy = (server: string, NO_PROXY: string): string | undefined =>
    proxyFromEnvironment(server, { HTTPS_PROXY: "http://p:1", NO_PROXY });
  expect(proxy("https://api.example.com:6443", "example.com:6443")).toBeUndefined();
  expect(proxy("https://api.example.com", "api.example.com:443")).toBeUndefined();
  expect(proxy("https://api.example.com", "example.com:6443")).toBe("http://p:1");
  expect(proxy("https://10.1.2.3:6443", "10.1.2.3:6443")).toBeUndefined();
  expect(proxy("https://[fd00::1]:6443", "[fd00::1]:6443")).toBeUndefined();
  expect(proxy("https://[fd00::1]:6443", "[fd00::1]:443")).toBe("http://p:1");
  expect(proxy("https://[fd00::1]:6443", "fd00::1")).toBeUndefined();
});
