import type { AddressInfo } from "node:net";
import { createServer } from "node:https";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "./connection.ts";

test("a request on a connection that the server has closed is an error at once", async () => {
  const server = await serve();
  const connection = await Connection.open(server);
  expect(await connection.send("GET", "/")).toEqual({ code: 200, length: 2 });
  server.closeConnections();
  await expect(connection.send("GET", "/")).rejects.toThrow();
  await expect(connection.send("GET", "/")).rejects.toThrow();
});

test("a watch that the server ends is an error, and one that this side closes is none", async () => {
  const server = await serve();
  const failures: string[] = [];
  const [closed, watching] = [await Connection.open(server), await Connection.open(server)];
  await closed.watch(
    "/?watch=1",
    () => undefined,
    ({ message }) => failures.push(`closed: ${message}`),
  );
  closed.close();
  await new Promise<void>((resolve) => {
    const onFailed = ({ message }: Error): void => {
      failures.push(message);
      resolve();
    };
    void watching.watch("/?watch=1", () => server.closeConnections(), onFailed);
  });
  expect(failures).toEqual(["the server has closed the connection"]);
});

/** A server that sends an event to each who watches, and answers others with two bytes. */
async function serve() {
  const ca = createCA({ commonName: "bench" });
  const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  const server = createServer({ cert, key }, (request, response) => {
    if (request.url?.includes("watch=1")) response.write('{"type":"ADDED"}\n');
    else response.setHeader("Content-Length", 2).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, token: "any", closeConnections: () => server.closeAllConnections() };
}
