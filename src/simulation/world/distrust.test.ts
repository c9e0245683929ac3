import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { expect, test } from "vitest";
import { explainDistrust } from "./world.ts";

const hour = 3_600_000;
const now = Date.UTC(2030, 0, 1);
const valid = { notBefore: new Date(now - hour), notAfter: new Date(now + hour) };
const ca = createCA({ commonName: "ca", ...valid });
const { cert } = issueCertificate(ca, {
  commonName: "hooks",
  dnsNames: ["hooks.system.svc"],
  usages: ["server"],
  ...valid,
});
const config = (pem: string, name = "hooks") => ({
  caBundle: Buffer.from(pem).toString("base64"),
  service: { namespace: "system", name },
});

test.each<[string, Parameters<typeof explainDistrust>, string | undefined]>([
  [
    "one that a CA of the bundle signed",
    [cert, config(createCA({ commonName: "b" }).cert + ca.cert), now],
    undefined,
  ],
  ["one that the operator got elsewhere", [undefined, config(""), now], undefined],
  ["an expired one", [cert, config(ca.cert), now + 2 * hour], "certificate has expired or is not yet valid"],
  ["one of tomorrow", [cert, config(ca.cert), now - 2 * hour], "certificate has expired or is not yet valid"],
  [
    "one of another CA",
    [cert, config(createCA({ commonName: "b" }).cert), now],
    "certificate signed by unknown authority",
  ],
  ["one without a CA", [cert, config(""), now], "certificate signed by unknown authority"],
  [
    "one of another Service",
    [cert, config(ca.cert, "other"), now],
    "certificate is not valid for other.system.svc",
  ],
])("of a webhook's certificates, %s is judged as an API server does", (_, call, reason) => {
  expect(explainDistrust(...call)).toBe(reason);
});
