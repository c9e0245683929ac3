import { merge, post, remove, type Request, type Story } from "../story.ts";

const services = "/api/v1/namespaces/{ns}/services";
const endpoints = "/api/v1/namespaces/{ns}/endpoints";

const service = (name: string, spec: object = {}): Request =>
  post(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
const written = (name: string, subsets: readonly object[], metadata: object = {}): Request =>
  post(endpoints, { metadata: { name, ...metadata }, subsets });
const one = { addresses: [{ ip: "192.0.2.1" }], ports: [{ name: "http", port: 8080 }] };

/** EndpointSlices of Endpoints that users write, for Services without a selector. */
export const mirroredEndpointStories: readonly Story[] = [
  {
    name: "endpoints that a user writes",
    steps: [
      // The Service comes first: the real endpoints controller deletes Endpoints without one when it starts.
      {
        name: "with a service",
        requests: [
          service("db"),
          written("db", [one], { labels: { tier: "data" }, annotations: { a: "b" } }),
        ],
      },
      {
        name: "other addresses",
        requests: [
          merge(`${endpoints}/db`, {
            metadata: { labels: { tier: null, more: "x" }, annotations: { a: "c" } },
            subsets: [
              {
                addresses: [
                  { ip: "192.0.2.3", hostname: "c", nodeName: "n" },
                  { ip: "192.0.2.2", targetRef: { kind: "Pod", name: "p", namespace: "{ns}" } },
                ],
                notReadyAddresses: [{ ip: "192.0.2.4" }],
                ports: [
                  { name: "http", port: 8080, appProtocol: "http" },
                  { name: "dns", port: 53, protocol: "UDP" },
                ],
              },
              { addresses: [{ ip: "192.0.2.5" }], ports: [{ name: "http", port: 9090 }] },
              { addresses: [{ ip: "2001:db8::1" }], ports: [{ name: "http", port: 9090 }] },
            ],
          }),
        ],
      },
      { name: "one subset less", requests: [merge(`${endpoints}/db`, { subsets: [one] })] },
      { name: "none", requests: [merge(`${endpoints}/db`, { subsets: null })] },
      { name: "again", requests: [merge(`${endpoints}/db`, { subsets: [one] })] },
      {
        name: "not to be mirrored",
        requests: [
          merge(`${endpoints}/db`, {
            metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
          }),
        ],
      },
      {
        name: "to be mirrored after all",
        requests: [
          merge(`${endpoints}/db`, {
            metadata: { labels: { "endpointslice.kubernetes.io/skip-mirror": null } },
          }),
        ],
      },
      { name: "the service is deleted", requests: [remove(`${services}/db`)] },
    ],
  },
  {
    name: "endpoints that are not mirrored",
    steps: [
      {
        name: "created",
        requests: [
          service("chosen", { selector: { app: "x" } }),
          service("lock"),
          service("bare", { clusterIP: "None", ports: [] }),
          written("lock", [one], { annotations: { "control-plane.alpha.kubernetes.io/leader": "me" } }),
          written("bare", [{ addresses: [{ ip: "192.0.2.9" }] }]),
        ],
      },
      { name: "endpoints deleted", requests: [remove(`${endpoints}/bare`)] },
    ],
  },
];
