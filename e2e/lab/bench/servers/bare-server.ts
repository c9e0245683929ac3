import { type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";

/**
 * An HTTPS server of Node that is asked like a cluster, sends as many bytes, and does nothing else. It sends each event by
 * itself: a server that collects them is faster with many watchers. Its argument is the length of an object.
 */
const object = Buffer.from(`{${"x".repeat(Number(process.argv[2]) - 2)}}`);
const event = Buffer.concat([Buffer.from('{"type":"ADDED","object":'), object, Buffer.from("}\n")]);
const watchers = new Set<ServerResponse>();
let written = 0;
let list = object;

const { cert, key } = issueCertificate(createCA({ commonName: "bench" }), {
  ipAddresses: ["127.0.0.1"],
  usages: ["server"],
});
const server = createServer(
  { cert, key, requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    response.setHeader("Content-Type", "application/json");
    const { method, url = "" } = request;
    if (method === "GET" && url.includes("watch=1")) {
      watchers.add(response);
      response.on("close", () => watchers.delete(response)).flushHeaders();
      return;
    }
    request.resume().on("end", () => (method === "POST" ? write(response) : read(response)));
  },
);

function write(response: ServerResponse): void {
  written++;
  response.statusCode = 201;
  response.setHeader("Content-Length", object.length);
  response.end(object);
  for (const watcher of watchers) watcher.write(event);
}

function read(response: ServerResponse): void {
  const length = written * object.length;
  if (list.length !== length) list = Buffer.alloc(length, object);
  response.setHeader("Content-Length", length);
  response.end(list);
}

server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
