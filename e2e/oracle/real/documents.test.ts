import { startTestCluster } from "@tsbuilder/cluster/testing";
import { isObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ReceivedResponse, send } from "../../../src/cluster/testing/send.ts";
import { startControlPlane } from "../../../src/cluster/testing/real/control-plane.ts";
import { eventually } from "../../../src/runtime/testing/eventually.ts";
import { findBinaries } from "./control-plane-binaries.ts";

// Discovery and OpenAPI of the embedded cluster, document by document beside those of a real API server.

const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: documents of a real API server: ${binaries.missing}`);

/** The known differences, each with the reason. */
const known: readonly (readonly [difference: RegExp, reason: string])[] = [
  [/componentstatus/iu, "left out with the kind, which has been deprecated since 1.19"],
  [/\.v1\.ComponentCondition/u, "the same"],
  [/\.x-kubernetes-unions: missing/u, "no client is known that reads them"],
  [/\.(?:DeleteOptions|WatchEvent)\.x-kubernetes-group-version-kind/u, "each document names its group alone"],
  [/\.flowcontrol\.v1\..*\.default: missing 0$/u, "published as 0, but another default is set"],
  [
    /\.(?:RoleRef\..*apiGroup|CustomResourceConversion\..*strategy|PodFailurePolicyOnPodConditionsPattern\..*status)\.default: missing ""$/u,
    "the same",
  ],
  [/\.caBundle\.x-kubernetes-list-type: missing/u, "bytes, which JSON has as a string"],
  [/^\/openapi\/v2 \.parameters: missing/u, "every operation has its parameters itself"],
  [/^\/openapi\/v2 .*(?:openid|well-known).*\.consumes/u, "v2 cannot say that nothing is sent"],
];

const names = { plural: "shops", kind: "Shop" };
const text = { type: "string" };
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names,
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  replicas: { type: "integer", default: 1, nullable: true },
                  port: { "x-kubernetes-int-or-string": true },
                  any: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  pod: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    "x-kubernetes-preserve-unknown-fields": true,
                  },
                  labels: { type: "object", additionalProperties: text },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: { type: "object", required: ["name"], properties: { name: text } },
                  },
                  one: {
                    type: "object",
                    properties: { a: text, b: text },
                    oneOf: [{ required: ["a"] }, { required: ["b"] }],
                  },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
      {
        name: "v2",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Sends a request to both servers. */
let both: (sent: Parameters<typeof send>[1]) => Promise<[real: ReceivedResponse, embedded: ReceivedResponse]>;
let stop: () => Promise<unknown> = async () => {};

describe.skipIf("missing" in binaries)("the documents of both servers", () => {
  beforeAll(async () => {
    if ("missing" in binaries) return;
    const control = await startControlPlane({ assets: binaries.folder });
    const cluster = await startTestCluster();
    stop = () => Promise.all([control.stop(), cluster.stop()]);
    const kubeconfigs = [control.issue("kubernetes-admin", ["system:masters"]), cluster.kubeconfig] as const;
    both = (sent) => Promise.all([send(kubeconfigs[0], sent), send(kubeconfigs[1], sent)]);
  });
  afterAll(() => stop());

  test("both publish a new kind", async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const created = await both({ method: "POST", path, body: definition });
    expect(created.map(({ code }) => code)).toEqual([201, 201]);
    await eventually(async () => {
      for (const { body } of await both({ method: "GET", path: "/openapi/v3" }))
        expect(Object.keys((body as { paths: object }).paths)).toContain("apis/example.com/v2");
      for (const { text: document } of await both({ method: "GET", path: "/openapi/v2" }))
        expect(document).toContain("com.example.v2.Shop");
    });
  });

  /** The patterns of the list that were of use. */
  const found = new Set<RegExp>();
  const isKnown = (difference: string): boolean => {
    const patterns = known.map(([pattern]) => pattern).filter((pattern) => pattern.test(difference));
    for (const pattern of patterns) found.add(pattern);
    return patterns.length > 0;
  };
  const differencesOf = async (path: string, accept = "application/json"): Promise<string[]> => {
    const [real, embedded] = await both({ method: "GET", path, headers: { Accept: accept } });
    expect([path, embedded.code]).toEqual([path, real.code]);
    return compare(real.body, embedded.body, path)
      .filter((difference) => !isKnown(difference))
      .sort(compareText);
  };

  test("discovery of groups and versions is the same", async () => {
    const [{ body }] = await both({ method: "GET", path: "/apis" });
    const { groups } = body as { groups: { name: string; versions: { groupVersion: string }[] }[] };
    const paths = groups.flatMap(({ name, versions }) => [
      `/apis/${name}`,
      ...versions.map(({ groupVersion }) => `/apis/${groupVersion}`),
    ]);
    const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    expect(paths).toContain("/apis/example.com/v1");
    expect(await differencesOf("/apis")).toEqual([]);
    expect(await differencesOf("/apis", aggregated)).toEqual([]);
    for (const path of paths) expect(await differencesOf(path)).toEqual([]);
  });

  test("OpenAPI has the same documents with the same content, but for what is listed", async () => {
    const indexes = await both({ method: "GET", path: "/openapi/v3" });
    const [real, embedded] = indexes.map(({ body }) => Object.keys((body as { paths: object }).paths));
    expect(embedded).toEqual(real);
    for (const path of real!) expect(await differencesOf(`/openapi/v3/${path}`)).toEqual([]);
    expect(await differencesOf("/openapi/v2")).toEqual([]);
    expect(known.map(([pattern]) => pattern).filter((pattern) => !found.has(pattern))).toEqual([]);
  });
});

/** A line for each difference of the second value from the first, but for texts. */
function compare(real: unknown, embedded: unknown, at: string): string[] {
  if (Array.isArray(real) && Array.isArray(embedded) && real.length === embedded.length)
    return real.flatMap((item, index) => compare(item, embedded[index], `${at}[${index}]`));
  if (!isObject(real) || !isObject(embedded)) {
    return JSON.stringify(real) === JSON.stringify(embedded)
      ? []
      : [`${at}: ${JSON.stringify(embedded)}, not ${JSON.stringify(real)}`];
  }
  const start = at.startsWith("/openapi") && !at.includes(" ") ? `${at} ` : at;
  return [...new Set([...Object.keys(real), ...Object.keys(embedded)])]
    .filter((name) => !isText(name, real[name] ?? embedded[name]) && !isOfOperation(start, name))
    .flatMap((name) => {
      if (!(name in embedded)) return [`${start}.${name}: missing ${JSON.stringify(real[name])}`];
      if (!(name in real)) return [`${start}.${name}: ${JSON.stringify(embedded[name])}, not missing`];
      return compare(real[name], embedded[name], `${start}.${name}`);
    });
}

/** Descriptions have no part in what is compared; parameters have none, and enums are not told again in them. */
function isText(name: string, value: unknown): boolean {
  return name === "description" && typeof value === "string";
}

/** In v2, parameters are references there, and values here. */
function isOfOperation(at: string, name: string): boolean {
  return at.startsWith("/openapi/v2 .paths.") && name === "parameters";
}
