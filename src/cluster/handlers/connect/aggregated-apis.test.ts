import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type Server, createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";
import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { FakeClock, type TestCluster, startTestCluster } from "../../testing/index.ts";
import { send } from "../../testing/send.ts";

// A server in the place of metrics-server: what it receives is what kube-apiserver sends to servers behind its aggregation layer.

const authority = createCA({ commonName: "metrics" });
const group = "metrics.example.com";
const path = `/apis/${group}/v1`;
const received: IncomingMessage[] = [];
const resources = [
  { name: "pods", singularName: "pod", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
  { name: "pods/peak", singularName: "", namespaced: true, kind: "Peak", verbs: ["get"] },
];
const malformed = [null, "pods", { name: "nameless" }, { kind: "Kindless" }];
let client: PeerCertificate;
let code = 200;
/** What discovery has beside the resources. */
let padding = "";
let server: Server;
let cluster: TestCluster;

beforeAll(async () => {
  const dnsNames = ["metrics.default.svc"];
  const serving = issueCertificate(authority, { dnsNames, usages: ["server"] });
  server = createServer(
    { ...serving, requestCert: true, rejectUnauthorized: false },
    (incoming, response) => {
      received.push(incoming);
      client = (incoming.socket as TLSSocket).getPeerCertificate();
      const list = { kind: "APIResourceList", resources: [...resources, ...malformed], padding };
      const body = incoming.url === path ? list : { path: incoming.url };
      if (incoming.url?.endsWith("/silent")) return;
      const isRedirect = incoming.url?.endsWith("/moved");
      response.writeHead(isRedirect ? 302 : code, {
        "Content-Type": "application/json",
        ...(isRedirect && { Location: "https://elsewhere.example.com/" }),
      });
      response.end(JSON.stringify(body));
    },
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  cluster = await startTestCluster({ resolveService });
});

function resolveService(namespace: string, name: string) {
  const { port } = server.address() as AddressInfo;
  return namespace === "default" && name === "metrics" ? { host: "127.0.0.1", port } : undefined;
}

afterAll(async () => {
  await cluster.stop();
  server.close();
  server.closeAllConnections();
});

const get = (url: string, headers = {}, kubeconfig = cluster.kubeconfig) =>
  send(kubeconfig, { method: "GET", path: url, headers });

function apiService(spec: object = {}) {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `v1.${group}` },
    spec: {
      group,
      version: "v1",
      service: { namespace: "default", name: "metrics" },
      caBundle: Buffer.from(authority.cert).toString("base64"),
      groupPriorityMinimum: 100,
      versionPriority: 100,
      ...spec,
    },
  };
}

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "metrics" },
  spec: { ports: [{ port: 443 }] },
};

const slice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "metrics", labels: { "kubernetes.io/service-name": "metrics" } },
  addressType: "IPv4",
  endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: true } }],
  ports: [{ name: "", port: 443 }],
};

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const sliceURL = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/metrics";

async function available(kubeconfig = cluster.kubeconfig): Promise<object | undefined> {
  const { body } = await get(`${services}/v1.${group}`, {}, kubeconfig);
  return (body as { status: { conditions?: object[] } }).status.conditions?.[0];
}

/** Installs it; deletes it after the test. */
async function install(...objects: readonly object[]): Promise<void> {
  onTestFinished(async () => {
    for (const url of [`${services}/v1.${group}`, sliceURL, "/api/v1/namespaces/default/services/metrics"])
      await send(cluster.kubeconfig, { method: "DELETE", path: url });
  });
  await cluster.install(...(objects as readonly KubernetesObject[]));
}

test("a server is available as soon as it has a Service, pods and a response, and until its pods are gone", async () => {
  await install(apiService());
  const unavailable = async (reason: string, message: string): Promise<void> => {
    await expect
      .poll(() => available())
      .toMatchObject({ type: "Available", status: "False", reason, message });
  };
  await unavailable("ServiceNotFound", 'service/metrics in "default" is not present');
  expect(await get(`${path}/pods`)).toMatchObject({ code: 503, text: "service unavailable\n" });
  await cluster.install(service);
  await unavailable("EndpointsNotFound", 'cannot find endpointslices for service/metrics in "default"');
  await cluster.install({ ...slice, endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: false } }] });
  await unavailable(
    "MissingEndpoints",
    'endpointslices for service/metrics in "default" have no addresses with port name ""',
  );
  await cluster.install(slice);
  const passed = { status: "True", reason: "Passed", message: "all checks passed" };
  await expect.poll(() => available()).toMatchObject(passed);
  code = 500;
  await send(cluster.kubeconfig, { method: "DELETE", path: sliceURL });
  await unavailable("EndpointsNotFound", 'cannot find endpointslices for service/metrics in "default"');
  await cluster.install(slice);
  await unavailable(
    "FailedDiscoveryCheck",
    `failing or missing response from https://metrics.default.svc${path}: bad status from https://metrics.default.svc${path}: 500`,
  );
  code = 200;
});

test("a server whose certificate is of nobody known gets no request", async () => {
  const other = Buffer.from(createCA({ commonName: "other" }).cert).toString("base64");
  const count = received.length;
  await install(service, slice, apiService({ caBundle: other }));
  await expect.poll(() => available()).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
  expect(received.length).toBe(count);
  await cluster.install(apiService({ caBundle: null, insecureSkipTLSVerify: true }));
  await expect.poll(() => available()).toMatchObject({ status: "True" });
  await cluster.install(apiService({ caBundle: other, insecureSkipTLSVerify: false }));
  await expect.poll(() => available()).toMatchObject({ status: "False", reason: "FailedDiscoveryCheck" });
});

test("a server that sends without end is read to a limit", async () => {
  padding = " ".repeat(17 * 1024 * 1024);
  onTestFinished(() => void (padding = ""));
  await install(service, slice, apiService());
  await expect
    .poll(() => available())
    .toMatchObject({
      status: "False",
      message: expect.stringContaining("the response is larger than 16777216 bytes") as string,
    });
});

test("a redirect doesn't reach the client, which would follow it with its credentials", async () => {
  await install(service, slice, apiService());
  await expect.poll(() => available()).toMatchObject({ status: "True" });
  const { code: received, headers, text } = await get(`${path}/moved`);
  expect(received).toBe(502);
  expect(headers).not.toHaveProperty("location");
  expect(text).toBe("the backend attempted to redirect this request, which is not permitted");
});

test("a request goes on with its user, and with a certificate of the published authority", async () => {
  await install(service, slice, apiService());
  await expect.poll(() => available()).toMatchObject({ status: "True" });
  await cluster.install(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: ann}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ann}]
`);
  const ann = cluster.addUser("ann", ["one", "zwölf"]);
  const forged = { "X-Remote-User": "root", "X-Remote-Group": "system:masters", "X-Remote-Extra-A": "b" };
  const url = `${path}/namespaces/default/pods/web?watch=0&a=%2F`;
  expect(await get(url, forged, ann)).toMatchObject({ code: 200, body: { path: url } });
  const { headers } = received.at(-1)!;
  expect(headers).toMatchObject({
    host: "metrics.default.svc",
    "x-remote-user": "ann",
    "x-remote-group": Buffer.from("one, zwölf, system:authenticated").toString("latin1"),
  });
  expect(headers).not.toHaveProperty("authorization");
  expect(headers).not.toHaveProperty("x-remote-extra-a");
  expect([client.issuer.CN, client.subject.CN]).toEqual(["front-proxy-ca", "front-proxy-client"]);
  const published = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
  expect((await get(published)).body).toMatchObject({
    data: {
      "requestheader-client-ca-file": expect.stringContaining("BEGIN CERTIFICATE") as string,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    },
  });
});

test("who may not, does not reach it", async () => {
  await install(service, slice, apiService());
  await expect.poll(() => available()).toMatchObject({ status: "True" });
  const count = received.length;
  expect(await get(`${path}/namespaces/default/pods`, {}, cluster.addUser("bob"))).toMatchObject({
    code: 403,
  });
  expect(received.length).toBe(count);
});

test("discovery has its resources in both forms", async () => {
  await install(service, slice, apiService());
  await expect.poll(() => available()).toMatchObject({ status: "True" });
  const versions = [{ groupVersion: `${group}/v1`, version: "v1" }];
  expect((await get(`/apis/${group}`)).body).toMatchObject({ name: group, versions });
  const { groups } = (await get("/apis")).body as { groups: { name: string }[] };
  expect(groups.at(-1)).toMatchObject({ name: group, versions });
  expect((await get(path)).body).toMatchObject({ resources: [...resources, ...malformed] });
  const Accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  const { items } = (await get("/apis", { Accept })).body as { items: object[] };
  const kind = (name: string) => ({ group, version: "v1", kind: name });
  expect(items.at(-1)).toEqual({
    metadata: { name: group },
    versions: [
      {
        version: "v1",
        freshness: "Current",
        resources: [
          {
            resource: "pods",
            singularResource: "pod",
            responseKind: kind("PodMetrics"),
            scope: "Namespaced",
            verbs: ["get", "list"],
            subresources: [{ subresource: "peak", responseKind: kind("Peak"), verbs: ["get"] }],
          },
        ],
      },
    ],
  });
  expect((await get("/")).body).toMatchObject({
    paths: expect.arrayContaining([`/apis/${group}`, path]) as string[],
  });
});

test("a server that doesn't respond keeps a client waiting for a minute", async () => {
  const clock = new FakeClock();
  const other = await startTestCluster({ connectionClock: clock, resolveService });
  onTestFinished(() => other.stop());
  await other.install(service, slice, apiService());
  await clock.advance(1);
  await expect.poll(() => available(other.kubeconfig)).toMatchObject({ status: "True" });
  const silent = get(`${path}/namespaces/default/pods/silent`, {}, other.kubeconfig);
  await expect.poll(() => received.at(-1)?.url).toContain("silent");
  await clock.advance(60_000);
  expect(await silent).toMatchObject({
    code: 503,
    text: "error trying to reach service: context deadline exceeded\n",
  });
});
