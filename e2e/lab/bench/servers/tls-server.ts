import https from "node:https";
import type { AddressInfo } from "node:net";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";

/** Answers every request with the same small object over TLS, in a separate process. */
const ca = createCA({ commonName: "bench" });
const { cert, key } = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
const body = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: {
    name: "a",
    namespace: "default",
    uid: "0f3b2c1d-0000-4000-8000-000000000000",
    resourceVersion: "1",
  },
  data: { count: "1" },
});
let connections = 0;
const server = https.createServer({ cert, key }, (request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    response.end(body);
  });
});
server.on("secureConnection", () => process.send?.({ connections: ++connections }));
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port, ca: ca.cert });
});
process.on("disconnect", () => process.exit());
