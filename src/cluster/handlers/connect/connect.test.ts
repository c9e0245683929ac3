import { once } from "node:events";
import { type IncomingMessage, createServer as createPlainServer } from "node:http";
import { type Server, createServer, request as httpsRequest } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { type PeerCertificate, type TLSSocket, connect } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { WebSocket } from "ws";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Kubeconfig } from "../../auth/credentials.ts";
import { send } from "../../testing/send.ts";
import { startTestCluster, type TestCluster } from "../../testing/index.ts";

// A server in the place of a kubelet: what it receives is what kube-apiserver sends to kubelets. Real ones are behind
// the tests of e2e/oracle/real/node.

const ca = createCA({ commonName: "cluster" });
const received: IncomingMessage[] = [];
let client: PeerCertificate["subject"];
let kubelet: Server;
let cluster: TestCluster;

beforeAll(async () => {
  const serving = issueCertificate(ca, { ipAddresses: ["127.0.0.1"], usages: ["server"] });
  kubelet = createServer({ ...serving, ca: ca.cert, requestCert: true }, (incoming, response) => {
    received.push(incoming);
    client = (incoming.socket as TLSSocket).getPeerCertificate().subject;
    if (incoming.url!.includes("previous=true"))
      response.writeHead(400).end('previous terminated container "a" in pod "web" not found');
    else if (incoming.url!.startsWith("/containerLogs/")) {
      response.write("one\n");
      if (!incoming.url!.includes("follow=true")) response.end(`${"x".repeat(70_000)}\n`);
    } else response.writeHead(404).end("no such page");
  });
  kubelet.on("upgrade", (incoming, socket: Duplex, head: Buffer) => {
    received.push(incoming);
    if (incoming.url!.includes("command=never")) return;
    const protocol = `Connection: Upgrade\r\nUpgrade: ${incoming.headers.upgrade}\r\nX-Case: Kept`;
    socket.write(`HTTP/1.1 101 Switching Protocols\r\n${protocol}\r\n\r\nhello `);
    socket.write(head);
    socket.pipe(socket);
  });
  kubelet.listen(0, "127.0.0.1");
  await once(kubelet, "listening");
  const { port } = kubelet.address() as AddressInfo;
  cluster = await startTestCluster({ certificates: { ca } });
  await cluster.install(
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n1" },
      status: {
        addresses: [
          { type: "Hostname", address: "nowhere.invalid" },
          { type: "InternalIP", address: "127.0.0.1" },
        ],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
    pod("web", { nodeName: "n1" }),
    pod("two", { nodeName: "n1" }, ["a", "b"]),
    pod("lost", {}),
    pod("pretended", { nodeName: "n2" }),
    pod("proxy", { nodeName: "n1" }),
    pod("routed", { nodeName: "n1" }),
    { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } },
  );
  // A connection to the address of all machines fails at once.
  await setAddress("proxy", "255.255.255.255");
  await setAddress("routed", "10.1.1.1");
});
afterAll(async () => {
  await cluster.stop();
  kubelet.closeAllConnections();
  kubelet.close();
});

function pod(name: string, spec: object, containers = ["a"]) {
  const images = containers.map((container) => ({ name: container, image: "i" }));
  return { apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers: images, ...spec } };
}

function node(name: string, address: string, port = 10250) {
  const status = {
    addresses: [{ type: "InternalIP", address }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  return { apiVersion: "v1", kind: "Node", metadata: { name }, status };
}

async function setAddress(name: string, ip: string): Promise<void> {
  const { code } = await send(cluster.kubeconfig, {
    method: "PATCH",
    path: `${pods}/${name}/status`,
    headers: { "Content-Type": "application/merge-patch+json" },
    body: { status: { podIP: ip, podIPs: [{ ip }] } },
  });
  expect(code).toBe(200);
}

const pods = "/api/v1/namespaces/default/pods";
const get = (path: string) => send(cluster.kubeconfig, { method: "GET", path });
const messageOf = async (path: string) => ((await get(path)).body as { message: string }).message;

/** Opens a connection for another protocol; the bytes are sent with the request. */
function upgrade(
  path: string,
  { method = "POST", protocol = "SPDY/3.1", kubeconfig = cluster.kubeconfig } = {},
) {
  const headers = {
    Authorization: `Bearer ${kubeconfig.users[0].user.token}`,
    Connection: "Upgrade",
    Upgrade: protocol,
  };
  const call = httpsRequest(new URL(path, cluster.url), { method, headers, ca: ca.cert, agent: false });
  return new Promise<{ response: IncomingMessage; socket?: Duplex; head?: Buffer }>((resolve, reject) => {
    call.on("upgrade", (response, socket, head) => resolve({ response, socket, head }));
    call.on("response", (response) => resolve({ response }));
    call.on("error", reject);
    call.end();
  });
}

test("a log is followed as the kubelet sends it, and the kubelet sees it end with the client", async () => {
  const path = `${pods}/web/log?follow=true&tailLines=5&sinceTime=2026-01-01T00:00:00Z&timestamps=1&previous=false`;
  const headers = { Authorization: `Bearer ${cluster.kubeconfig.users[0].user.token}`, Accept: "text/plain" };
  const call = httpsRequest(new URL(path, cluster.url), { headers, ca: ca.cert, agent: false }).end();
  const [response] = (await once(call, "response")) as [IncomingMessage];
  expect(response.headers["content-type"]).toBe("text/plain");
  expect(String((await once(response, "data"))[0])).toBe("one\n");
  const { url, headers: seen, socket } = received.at(-1)!;
  const { pathname, searchParams } = new URL(url!, "https://kubelet");
  expect(pathname).toBe("/containerLogs/default/web/a");
  expect(Object.fromEntries(searchParams)).toEqual({
    follow: "true",
    timestamps: "true",
    sinceTime: "2026-01-01T00:00:00Z",
    tailLines: "5",
  });
  expect(seen).not.toHaveProperty("authorization");
  const ended = once(socket, "close");
  response.destroy();
  await ended;
});

/** Opens a log by WebSocket. */
function openLog(query: string, subprotocols: string[] = []) {
  const headers = { Authorization: `Bearer ${cluster.kubeconfig.users[0].user.token}` };
  const url = `${cluster.url.replace("https", "wss")}${pods}/web/log?${query}`;
  const socket = new WebSocket(url, subprotocols, { headers, ca: ca.cert });
  const messages: string[] = [];
  const kinds = new Set<boolean>();
  socket.on("message", (message: Buffer, isBinary) => {
    messages.push(message.toString());
    kinds.add(isBinary);
  });
  return { socket, messages, kinds };
}

test.each([
  [[], true],
  [["other", "binary.k8s.io"], true],
  [["base64.binary.k8s.io"], false],
])("a log is sent by WebSocket in the protocol of %j", async (subprotocols, isBinary) => {
  const { socket, messages, kinds } = openLog("timestamps=true", subprotocols);
  const [code] = (await once(socket, "close")) as [number];
  expect([code, socket.protocol, [...kinds]]).toEqual([1000, subprotocols.at(-1) ?? "", [isBinary]]);
  expect(messages[0]).toBe("");
  const chunks = messages.map((each) => (isBinary ? each : Buffer.from(each, "base64").toString()));
  expect(chunks.join("")).toBe(`one\n${"x".repeat(70_000)}\n`);
  expect(received.at(-1)!.headers).not.toHaveProperty("upgrade");
});

test("a log that is followed by WebSocket ends with its client, whose pings are answered", async () => {
  const { socket, messages } = openLog("follow=true");
  await expect.poll(() => messages).toEqual(["", "one\n"]);
  const pong = once(socket, "pong");
  socket.ping("there?");
  expect(String((await pong)[0])).toBe("there?");
  const left = once(received.at(-1)!.socket, "close");
  const closed = once(socket, "close");
  socket.close();
  await Promise.all([closed, left]);
});

test("a log is not sent in a subprotocol that Kubernetes doesn't have", async () => {
  const { socket } = openLog("follow=true", ["v5.channel.k8s.io"]);
  const [error] = (await once(socket, "error")) as [Error];
  expect(error.message).toContain("403");
  await expect.poll(() => received.at(-1)!.socket.destroyed).toBe(true);
});

test("the server shows kubelets a certificate of its own, with which it may use their API alone", async () => {
  await get(`${pods}/web/log?previous=true`);
  const user = "kube-apiserver-kubelet-client";
  expect({ ...client }).toEqual({ CN: user });
  const mayBe = async (verb: string, resource: string, subresource = "") => {
    const spec = { user, resourceAttributes: { verb, resource, subresource } };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    const { body } = await send(cluster.kubeconfig, { method: "POST", path, body: { spec } });
    return (body as { status: { allowed: boolean } }).status.allowed;
  };
  expect([await mayBe("create", "nodes", "proxy"), await mayBe("get", "secrets")]).toEqual([true, false]);
});

test.each(["log", "log?insecureSkipTLSVerifyBackend=true", "exec?command=ls"])(
  "a node whose address is the API server's own gets no request for %s",
  async (subresource) => {
    const port = Number(new URL(cluster.url).port);
    await cluster.install(node("self", "127.0.0.1", port), pod("self", { nodeName: "self" }));
    const path = `${pods}/self/${subresource}`;
    const { response } = subresource.startsWith("log")
      ? await upgrade(path, { method: "GET", protocol: "none" })
      : await upgrade(path);
    expect(await text(response)).toContain("the address is the API server's own");
  },
);

test("of how kubelets are reached, a part may be given; the server's certificate is its own then", async () => {
  const other = await startTestCluster({ certificates: { ca }, kubelets: { addressTypes: ["Hostname"] } });
  onTestFinished(() => other.stop());
  const { port } = kubelet.address() as AddressInfo;
  const names = {
    addresses: [
      { type: "InternalIP", address: "10.1.1.1" },
      { type: "Hostname", address: "127.0.0.1" },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await other.install(
    { apiVersion: "v1", kind: "Node", metadata: { name: "n1" }, status: names },
    pod("web", { nodeName: "n1" }),
  );
  const path = `${pods}/web/log?previous=true`;
  const { body } = await send(other.kubeconfig, { method: "GET", path });
  expect(body).toMatchObject({ message: 'previous terminated container "a" in pod "web" not found' });
});

test("a proxy leads to a node by the addresses of its name", async () => {
  await cluster.install(node("lost", "nowhere.invalid"), node("local", "localhost"));
  expect(await messageOf("/api/v1/nodes/lost/proxy/healthz")).toBe("lookup nowhere.invalid: no such host");
  expect(await messageOf("/api/v1/nodes/local/proxy/healthz")).toBe("address not allowed");
});

test.each([
  ["web/log?previous=true", 'previous terminated container "a" in pod "web" not found'],
  ["web/log?container=b", "container b is not valid for pod web"],
  ["two/log", "a container name must be specified for pod two, choose one of: [a b]"],
  ["web/log?tailLines=-1", expect.stringContaining("tailLines: Invalid value: -1")],
  [
    "web/log?sinceSeconds=0",
    expect.stringContaining("sinceSeconds: Invalid value: 0: must be greater than 0"),
  ],
  ["web/log?stream=Both", expect.stringContaining('stream: Unsupported value: "Both"')],
  ["web/exec", "Upgrade request required"],
  ["lost/exec", "pod lost does not have a host assigned"],
  ["pretended/log", expect.stringContaining('so pod "pretended" has no logs')],
])("%s is refused", async (path, message) => {
  expect(await messageOf(`${pods}/${path}`)).toEqual(message);
});

test("a pod that waits for a node has no log", async () => {
  expect(await get(`${pods}/lost/log`)).toMatchObject({ code: 204, text: "" });
});

test.each([
  ["POST", "SPDY/3.1"],
  ["GET", "websocket"],
])("a command of %s to %s is one connection from the client to the kubelet", async (method, protocol) => {
  const path = `${pods}/web/exec?command=cat&command=a+b&stdin=true&stdout=1&tty=false`;
  const { response, socket, head } = await upgrade(path, { method, protocol });
  expect(response.statusCode).toBe(101);
  expect(response.rawHeaders).toContain("X-Case");
  expect(received.at(-1)!.url).toBe("/exec/default/web/a?input=1&output=1&command=cat&command=a+b");
  expect(received.at(-1)!.headers).not.toHaveProperty("impersonate-user");
  let text = head!.toString();
  socket!.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket!.write("there");
  await expect.poll(() => text).toBe("hello there");
  const closed = once(received.at(-1)!.socket, "close");
  socket!.destroy();
  await closed;
});

test.each([
  ["POST", "exec?command=never", "SPDY/3.1"],
  [
    "GET",
    "log?follow=true",
    "websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
  ],
])("a kubelet is left as soon as the client leaves that sent it %s %s", async (method, path, protocol) => {
  const count = received.length;
  const socket = connect({ port: Number(new URL(cluster.url).port), host: "127.0.0.1", ca: ca.cert });
  const token = cluster.kubeconfig.users[0].user.token;
  const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}`;
  socket.write(`${method} ${pods}/web/${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
  await expect.poll(() => received.length).toBe(count + 1);
  const left = once(received.at(-1)!.socket, "close");
  socket.end();
  await left;
});

test("attach and port-forward have their own paths at the kubelet", async () => {
  const attached = await upgrade(`${pods}/web/attach?stdout=true`);
  expect(received.at(-1)!.url).toBe("/attach/default/web/a?output=1");
  attached.socket!.destroy();
  const forwarded = await upgrade(`${pods}/web/portforward?ports=80&ports=81`);
  expect(received.at(-1)!.url).toBe("/portForward/default/web?port=80%2C81");
  forwarded.socket!.destroy();
});

test("who may only get pods/exec runs no commands, by WebSocket either", async () => {
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: getter}
rules:
- {apiGroups: [""], resources: [pods/exec], verbs: [get]}
- {apiGroups: [""], resources: [users, groups], verbs: [impersonate], resourceNames: [kubernetes-admin]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: getter}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: getter}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
`);
  const ann: Kubeconfig = cluster.addUser("ann");
  const { body } = await send(ann, { method: "GET", path: `${pods}/web/exec?command=ls` });
  expect(body).toMatchObject({
    code: 403,
    message: expect.stringContaining('User "ann" cannot create resource "pods/exec"') as string,
  });
});

test("a policy about CONNECT can keep commands out of a pod", async () => {
  await cluster.install(`
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: no-exec}
spec:
  failurePolicy: Fail
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CONNECT], resources: [pods/attach]}]}
  validations: [{expression: "object.kind != 'PodAttachOptions' || object.stdout == false", message: "nobody attaches here"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: no-exec}
spec: {policyName: no-exec, validationActions: [Deny]}
`);
  for (const query of ["stdout=true", "stdout=true&kind=Other"])
    expect(await messageOf(`${pods}/web/attach?${query}`)).toContain("nobody attaches here");
});

test("a request that asks for a protocol which its path does not speak is answered all the same", async () => {
  const { response, socket } = await upgrade("/api/v1/namespaces/default", {
    method: "GET",
    protocol: "websocket",
  });
  expect(socket).toBeUndefined();
  expect(response.statusCode).toBe(200);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ kind: "Namespace" });
});

test("proxies lead to pods, and not to the server's own machine", async () => {
  expect(await messageOf("/api/v1/nodes/n1/proxy/healthz")).toBe("address not allowed");
  expect(await messageOf("/api/v1/nodes/n2/proxy/healthz")).toBe('nodes "n2" not found');
  const service = "/api/v1/namespaces/default/services";
  expect(await messageOf(`${service}/web:80/proxy/`)).toBe('no endpoints available for service "web:80"');
  expect(await messageOf(`${service}/web:81/proxy/`)).toBe('no service port 81 found for service "web"');
  expect(await messageOf(`${service}/a:b:c:d/proxy/`)).toBe('invalid service request "a:b:c:d"');
  await cluster.install({
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { name: "web" },
    subsets: [
      {
        addresses: [{ ip: "10.1.1.1", targetRef: { kind: "Pod", namespace: "default", name: "routed" } }],
        ports: [{ port: 8080 }],
      },
    ],
  });
  expect(await get(`${service}/web/proxy?a=b`)).toMatchObject({
    code: 301,
    headers: { location: `${service}/web/proxy/?a=b` },
  });
});

test.each(["//", "/%5C"])("a path that begins with %s leads to no other host", async (start) => {
  const { port } = kubelet.address() as AddressInfo;
  const path = `${pods}/https:proxy:443/proxy${start}127.0.0.1:${port}/x`;
  expect(await messageOf(path.replace("%5C", "\\"))).toBe(
    "error trying to reach service: connect ENETUNREACH 255.255.255.255:443 - Local (0.0.0.0:0)",
  );
});

test.each(["http:routed:80@127.0.0.1", "routed:80@localhost", "routed:65536", "routed:http"])(
  "a pod has no port like in %s",
  async (name) => {
    const path = `${pods}/${encodeURIComponent(name)}/proxy/`;
    expect(await messageOf(path)).toBe(`invalid pod request "${name}"`);
  },
);

test("proxies pass HEAD on, too", async () => {
  const { code } = await send(cluster.kubeconfig, { method: "HEAD", path: `${pods}/proxy/proxy/` });
  expect(code).toBe(503);
});

test("Endpoints lead only to addresses that the pods which they name have", async () => {
  const reference = { kind: "Pod", namespace: "default", name: "routed" };
  await cluster.install(
    { apiVersion: "v1", kind: "Service", metadata: { name: "wrong" }, spec: { ports: [{ port: 80 }] } },
    {
      apiVersion: "v1",
      kind: "Endpoints",
      metadata: { name: "wrong" },
      subsets: [{ addresses: [{ ip: "10.9.9.9", targetRef: reference }], ports: [{ port: 80 }] }],
    },
  );
  const path = "/api/v1/namespaces/default/services/wrong/proxy/";
  expect(await messageOf(path)).toBe('no endpoints available for service "wrong"');
});

test("a kubelet that is down is named in the error", async () => {
  const closed = createPlainServer().listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  await cluster.install(node("down", "127.0.0.1", port), pod("far", { nodeName: "down" }));
  expect(await messageOf(`${pods}/far/log`)).toContain(
    `Get "https://127.0.0.1:${port}/containerLogs/default/far/a"`,
  );
  const { response } = await upgrade(`${pods}/far/exec?command=ls`);
  expect(response.statusCode).toBe(500);
  response.destroy();
});
