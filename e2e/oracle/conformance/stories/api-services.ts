import { get, remove, type Step, type Story, story } from "../story.ts";

const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const definition = {
  metadata: { name: "things.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      { name: "v1beta1", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};
/** A real server updates its list of APIs a moment later. */
const pause: readonly Step[] = Array.from({ length: 40 }, () => get("/api/v1/namespaces/{ns}"));

export const apiServices: readonly Story[] = [
  story(
    "each group and version that is served has an APIService",
    [
      get(`${services}/v1.`),
      get(`${services}/v1.apps`),
      get(`${services}/v2.autoscaling`),
      get(`${services}/v1.nothing`),
      ...pause,
      get(`${services}/v1.{group}`),
      get(`${services}/v1beta1.{group}`),
      remove(`${services}/v1.{group}`),
      ...pause,
      get(`${services}/v1.{group}`),
      get(`${services}/v1.apps`, "application/json;as=Table;v=v1;g=meta.k8s.io"),
    ],
    [definition],
  ),
];
