import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../../e2e/support/eventually.ts";
import { send } from "../../testing/send.ts";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
if (!hasOpenssl) process.stderr.write("openssl is not installed: no certificate requests are made with it\n");

describe.runIf(hasOpenssl)("a certificate request of a kubelet", () => {
  const folder = mkdtempSync(join(tmpdir(), "requests-"));
  let cluster: TestCluster;
  let count = 0;
  beforeAll(async () => {
    cluster = await startTestCluster({ controllers: ["csrapproving", "csrsigning"] });
    await cluster.install(`
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {addresses: [{type: InternalIP, address: 10.1.2.3}, {type: Hostname, address: n1}]}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {addresses: [{type: InternalIP, address: 10.96.0.1}, {type: Hostname, address: kubernetes.default.svc}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: bootstrap}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:certificates.k8s.io:certificatesigningrequests:nodeclient"}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: joiners}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: joiners}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:node-bootstrapper"}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: joiners}
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: strangers}
`);
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true });
  });

  interface Answer {
    readonly spec: object;
    readonly status?: { readonly certificate?: string; readonly conditions?: { readonly type: string }[] };
  }

  function makeRequest(subject: string, names: string): string {
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", join(folder, "key.pem")];
    const extension = names === "" ? [] : ["-addext", `subjectAltName=${names}`];
    const words = ["req", "-new", "-nodes", ...key, "-subj", subject, ...extension];
    return execFileSync("openssl", words, { encoding: "base64", stdio: "pipe" });
  }

  const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

  async function ask(
    user: string,
    group: string,
    signer: string,
    options: { subject?: string; names?: string } = {},
  ) {
    const { subject = "/O=system:nodes/CN=system:node:n1", names = "" } = options;
    const name = `r${++count}`;
    const usages = ["digital signature", signer === "kubelet-serving" ? "server auth" : "client auth"];
    const spec = {
      request: makeRequest(subject, names),
      signerName: `kubernetes.io/${signer}`,
      usages,
      expirationSeconds: 3600,
    };
    const body = { metadata: { name }, spec };
    const { code } = await send(cluster.addUser(user, [group]), { method: "POST", path, body });
    expect(code).toBe(201);
    return name;
  }

  const read = async (name: string) =>
    (await send(cluster.kubeconfig, { method: "GET", path: `${path}/${name}` })).body as Answer;
  const issued = (name: string) =>
    eventually(async () => {
      const { certificate } = (await read(name)).status ?? {};
      return certificate ? new X509Certificate(Buffer.from(certificate, "base64")) : false;
    });
  const node = ["system:node:n1", "system:nodes"] as const;

  test("for its client certificate is approved if it may join, and if it has joined; both are signed by the CA", async () => {
    const first = await issued(await ask("new", "joiners", "kube-apiserver-client-kubelet"));
    const second = await issued(await ask(...node, "kube-apiserver-client-kubelet"));
    const ca = new X509Certificate(
      Buffer.from(cluster.kubeconfig.clusters[0].cluster["certificate-authority-data"]!, "base64"),
    );
    for (const certificate of [first, second]) {
      expect(certificate.verify(ca.publicKey)).toBe(true);
      expect(certificate.subject).toBe("O=system:nodes\nCN=system:node:n1");
      const valid = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom);
      expect(valid).toBe((3600 + 300) * 1000);
    }
  });

  test("for its serving certificate is approved for the addresses of its node alone", async () => {
    const foreign = await ask(...node, "kubelet-serving", { names: "IP:10.9.9.9" });
    const subject = "/O=system:nodes/CN=system:node:n2";
    const own = ["IP:10.96.0.1", "DNS:kubernetes.default.svc"].map((names) =>
      ask("system:node:n2", "system:nodes", "kubelet-serving", { subject, names }),
    );
    const servers = await Promise.all(own);
    const certificate = await issued(await ask(...node, "kubelet-serving", { names: "IP:10.1.2.3,DNS:n1" }));
    expect(certificate.subjectAltName).toBe("DNS:n1, IP Address:10.1.2.3");
    for (const name of [foreign, ...servers]) expect((await read(name)).status).toEqual({});
  });

  test("of who may not join stays pending, and one that isn't a kubelet's fails once somebody approves it", async () => {
    const name = await ask("stranger", "strangers", "kube-apiserver-client-kubelet");
    const wrong = await ask("new", "joiners", "kube-apiserver-client-kubelet", {
      subject: "/O=system:masters/CN=me",
    });
    const approved = { type: "Approved", status: "True", reason: "Human" };
    await send(cluster.kubeconfig, {
      method: "PATCH",
      path: `${path}/${wrong}/approval`,
      headers: { "Content-Type": "application/merge-patch+json" },
      body: { status: { conditions: [approved] } },
    });
    await eventually(async () =>
      expect((await read(wrong)).status?.conditions).toMatchObject([
        { type: "Approved" },
        { type: "Failed", message: "subject organization is not system:nodes" },
      ]),
    );
    expect((await read(name)).status).toEqual({});
  });

  test("is approved and signed only by who may use its signer, and makes nobody a master", async () => {
    await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: writer}
rules:
- {apiGroups: [certificates.k8s.io], resources: [certificatesigningrequests, certificatesigningrequests/approval, certificatesigningrequests/status], verbs: ["*"]}
- {apiGroups: [certificates.k8s.io], resources: [signers], verbs: [approve, sign], resourceNames: ["kubernetes.io/kube-apiserver-client-kubelet", "example.com/*"]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: writer}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: writer}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
`);
    const ann = cluster.addUser("ann");
    const write = async (request: string, endpoint: string, status: object) => {
      const headers = { "Content-Type": "application/merge-patch+json" };
      const { code, body } = await send(ann, {
        method: "PATCH",
        path: `${path}/${request}/${endpoint}`,
        headers,
        body: { status },
      });
      return code === 200 ? "done" : (body as { message: string }).message;
    };
    const approval = { conditions: [{ type: "Approved", status: "True", reason: "Mine" }] };
    const client = "kubernetes.io/kube-apiserver-client";
    const request = await ask("ann", "writers", "kube-apiserver-client", { subject: "/CN=someone" });
    const refusal = (verb: string) =>
      expect.stringContaining(`user not permitted to ${verb} requests with signerName "${client}"`) as string;
    expect(await write(request, "approval", approval)).toEqual(refusal("approve"));
    const failed = [{ type: "Failed", status: "True", reason: "Mine" }];
    expect(await write(request, "status", { conditions: failed })).toEqual(refusal("sign"));
    const spec = { request: makeRequest("/CN=x", ""), signerName: "example.com/s", usages: ["client auth"] };
    await send(ann, { method: "POST", path, body: { metadata: { name: "ours" }, spec } });
    expect(await write("ours", "approval", approval)).toBe("done");
    const master = { ...spec, request: makeRequest("/O=system:masters/CN=me", ""), signerName: client };
    const { body } = await send(ann, {
      method: "POST",
      path,
      body: { metadata: { name: "master" }, spec: master },
    });
    expect(body).toMatchObject({
      code: 403,
      message: expect.stringContaining(`use of ${client} signer with system:masters group`) as string,
    });
  });
});
