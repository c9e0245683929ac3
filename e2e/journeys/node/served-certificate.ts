import { X509Certificate } from "node:crypto";
import type { NodeProject } from "../../oracle/real/node/node-project.ts";

/** A certificate in a Secret. */
export interface KeptCertificate {
  readonly namespace: string;
  readonly secret: string;
}

/** One with the port of a Service where it is served. */
export interface ServedCertificate extends KeptCertificate {
  readonly service: string;
  readonly port: number;
}

/** The fingerprint of the certificate in the Secret. */
export async function keptCertificate(project: NodeProject, { namespace, secret }: KeptCertificate) {
  return new X509Certificate(await readSecret(project, namespace, secret, "tls\\.crt")).fingerprint256;
}

/** The fingerprint of what the Service's pods show; it must be one that the Secret's authority signed. */
export async function shownCertificate(
  project: NodeProject,
  { namespace, secret, service, port }: ServedCertificate,
): Promise<string> {
  const ca = String(await readSecret(project, namespace, secret, "ca\\.crt"));
  const host = await project.kubectl(
    `get service ${service} --namespace ${namespace} --output=jsonpath={.spec.clusterIP}`,
  );
  const options = { host, port, servername: `${service}.${namespace}.svc`, ca };
  const script = `const socket = require("node:tls").connect(${JSON.stringify(options)}, () => {
    console.log(socket.getPeerCertificate().fingerprint256);
    socket.end();
  });`;
  return (await project.inside.run(process.execPath, "-e", script)).stdout.trim();
}

async function readSecret(project: NodeProject, namespace: string, name: string, key: string) {
  const output = `--output=jsonpath={.data.${key}}`;
  return Buffer.from(
    await project.kubectl(`get secret ${name} --namespace ${namespace} ${output}`),
    "base64",
  );
}
