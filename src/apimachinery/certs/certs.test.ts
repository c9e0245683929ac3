import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createCA,
  describeCertificate,
  issueCertificate,
  parseCertificateRequest,
  renewalTime,
  signCertificateRequest,
} from "./index.ts";

const ca = createCA({ commonName: "test-ca" });
const server = issueCertificate(ca, {
  commonName: "server",
  dnsNames: ["localhost", "webhook.system.svc"],
  ipAddresses: ["127.0.0.1", "::1", "2001:db8::ff00:42:8329", "::ffff:192.0.2.1"],
  usages: ["server"],
});
const client = issueCertificate(ca, {
  commonName: "admin",
  organizations: ["system:masters", "dev"],
  usages: ["client"],
});

test("createCA() creates a self-signed CA, valid for ten years", () => {
  const notBefore = new Date("2024-05-01T12:00:00Z");
  const certificate = new X509Certificate(createCA({ commonName: "ca", notBefore }).cert);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(describeCertificate(certificate.toString())).toMatchObject({
    isCA: true,
    commonName: "ca",
    notBefore,
    notAfter: new Date("2034-05-01T12:00:00Z"),
  });
});

test("issueCertificate() issues a leaf certificate with its names, signed by the CA", () => {
  const certificate = new X509Certificate(server.cert);
  const authority = new X509Certificate(ca.cert);
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(certificate.verify(authority.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkHost("webhook.system.svc")).toBe("webhook.system.svc");
  for (const address of ["127.0.0.1", "::1", "2001:db8::ff00:42:8329"]) {
    expect(certificate.checkIP(address)).toBe(address);
  }
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
});

test("a CA is valid from five minutes ago, and what it issues is valid as long as it is", () => {
  expect(describeCertificate(ca.cert).notBefore.getTime()).toBeLessThanOrEqual(Date.now() - 300_000);
  const notBefore = new Date("2024-05-01T12:00:00Z");
  const { cert } = issueCertificate(createCA({ commonName: "old", notBefore }), { usages: ["client"] });
  expect(describeCertificate(cert).notBefore).toEqual(notBefore);
  expect(describeCertificate(cert).notAfter.getTime()).toBeGreaterThan(Date.now() + 364 * 86_400_000);
});

test("describeCertificate() reads a client's user and groups", () => {
  expect(describeCertificate(client.cert)).toMatchObject({
    commonName: "admin",
    organizations: ["system:masters", "dev"],
    isCA: false,
  });
});

test("two certificates have different serial numbers", () => {
  expect(describeCertificate(client.cert).serialNumber).not.toBe(
    describeCertificate(server.cert).serialNumber,
  );
});

test("renewalTime() is after two thirds of a certificate's validity", () => {
  const { cert } = issueCertificate(ca, {
    commonName: "short",
    usages: ["server"],
    notBefore: new Date("2024-05-01T00:00:00Z"),
    notAfter: new Date("2024-05-04T00:00:00Z"),
  });
  expect(renewalTime(cert)).toEqual(new Date("2024-05-03T00:00:00Z"));
});

test("a certificate may be valid beyond 2050, when the encoding of dates changes", () => {
  const notAfter = new Date("2061-01-01T00:00:00Z");
  expect(describeCertificate(createCA({ commonName: "long", notAfter }).cert).notAfter).toEqual(notAfter);
});

test("issueCertificate() rejects an invalid IP address", () => {
  expect(() => issueCertificate(ca, { ipAddresses: ["localhost"], usages: ["server"] })).toThrow(
    '"localhost" is not an IP address',
  );
});

test("parseCertificateRequest() rejects PEM of another type", () => {
  expect(() => parseCertificateRequest(ca.cert)).toThrow("CERTIFICATE REQUEST");
});

test.each([
  ["nothing", ""],
  ["an empty sequence", "3000"],
  ["an empty body", "3006300030000300"],
  ["a body without a key", "300c3006020100300031003000030100"],
])("parseCertificateRequest() rejects a request with %s in words of its own", (_, hex) => {
  const base64 = Buffer.from(hex, "hex").toString("base64") || "-";
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
  expect(() => parseCertificateRequest(pem)).toThrow(/DER value/u);
});

test("client and server accept each other's certificates over TLS", async () => {
  const user = await new Promise((resolve, reject) => {
    const listener = createServer({ ...server, ca: ca.cert, requestCert: true }, (socket: TLSSocket) => {
      resolve([socket.authorized, socket.getPeerCertificate().subject]);
      socket.destroy();
      listener.close();
    }).listen(0, "127.0.0.1", () => {
      const { port } = listener.address() as { port: number };
      const socket = connect({ host: "127.0.0.1", port, ca: ca.cert, ...client });
      // The server closes the connection once it has the client's certificate.
      socket.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code !== "ECONNRESET") reject(error);
      });
    });
  });
  expect(user).toEqual([true, { CN: "admin", O: ["system:masters", "dev"] }]);
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) process.stderr.write("openssl is not installed: skipping its checks of certificates\n");

describe.runIf(hasOpenssl)("with openssl", () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "certs-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  const openssl = (...args: string[]): string =>
    execFileSync("openssl", args, { encoding: "utf8", stdio: "pipe" });
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test.each([
    ["server", server],
    ["client", client],
    ["server", issueCertificate(ca, { dnsNames: ["nameless.example.com"], usages: ["server", "client"] })],
  ])("openssl verify -x509_strict accepts a %s certificate", (purpose, { cert }) => {
    const authority = write("ca.pem", ca.cert);
    const leaf = write("leaf.pem", cert);
    const args = ["verify", "-x509_strict", "-purpose", `ssl${purpose}`, "-CAfile", authority, leaf];
    expect(openssl(...args)).toBe(`${leaf}: OK\n`);
  });

  test.each([
    ["ECDSA", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]],
    ["RSA", ["-newkey", "rsa:2048"]],
    ["Ed25519", ["-newkey", "ed25519"]],
  ])("signCertificateRequest() signs a request made by openssl with %s", (_name, key) => {
    const subject = ["-subj", "/O=dev/CN=jane", "-addext", "subjectAltName=DNS:jane.example.com,IP:10.0.0.1"];
    const pem = openssl("req", "-new", ...key, "-nodes", "-keyout", join(folder, "key.pem"), ...subject);
    expect(parseCertificateRequest(pem)).toMatchObject({
      commonName: "jane",
      organizations: ["dev"],
      dnsNames: ["jane.example.com"],
      ipAddresses: ["10.0.0.1"],
    });
    const leaf = write("signed.pem", signCertificateRequest(ca, pem, { usages: ["client"] }));
    const authority = write("ca.pem", ca.cert);
    expect(openssl("verify", "-x509_strict", "-CAfile", authority, leaf)).toContain("OK");
    expect(openssl("x509", "-in", leaf, "-noout", "-text")).toContain(
      "DNS:jane.example.com, IP Address:10.0.0.1",
    );
  });

  test("parseCertificateRequest() rejects a request that was changed after signing", () => {
    const keyPath = join(folder, "key.pem");
    const pem = openssl(
      "req",
      "-new",
      "-newkey",
      "ed25519",
      "-nodes",
      "-keyout",
      keyPath,
      "-subj",
      "/CN=jane",
    );
    const base64 = pem.replaceAll(/-----.*-----|\n/gu, "");
    const changed = Buffer.from(base64, "base64").toString("latin1").replace("jane", "root");
    const request = Buffer.from(changed, "latin1").toString("base64");
    expect(() =>
      parseCertificateRequest(
        `-----BEGIN CERTIFICATE REQUEST-----\n${request}\n-----END CERTIFICATE REQUEST-----`,
      ),
    ).toThrow("does not belong to its key");
  });
});
