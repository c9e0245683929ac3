import { get, post, put, type Story, story } from "../story.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const bindings = "/api/v1/namespaces/{ns}/bindings";
const pod = (name: string) =>
  post(pods, { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
const node = { kind: "Node", name: "n" };

export const bindingStories: readonly Story[] = [
  story("Bindings of a pod", [
    pod("a"),
    post(`${pods}/a/binding`, { metadata: { name: "b" }, target: node }),
    post(`${pods}/a/binding`, { metadata: { name: "a" } }),
    post(`${pods}/a/binding`, { metadata: { name: "a" }, target: { kind: "Pod" } }),
    post(`${pods}/a/binding`, { metadata: { name: "a" }, target: node }),
    get(`${pods}/a`),
  ]),
  story("Bindings that name their pod", [
    pod("a"),
    post(bindings, { metadata: { name: "none" }, target: node }),
    post(bindings, { target: node }),
    post(bindings, { metadata: { name: "a" } }),
    post(bindings, { metadata: { name: "a", namespace: "other" }, target: node }),
    post(bindings, { kind: "Pod", apiVersion: "v1", metadata: { name: "a" } }),
    post(bindings, "{"),
    post(`${bindings}?dryRun=All`, { metadata: { name: "a" }, target: node }),
    { ...post(bindings, { metadata: { name: "a" }, target: node }), headers: { "Impersonate-User": "jane" } },
    post(bindings, { metadata: { name: "a" }, target: node }),
    post(bindings, { metadata: { name: "a" }, target: node }),
    get(`${pods}/a`),
  ]),
  story("paths of what is not stored", [
    get(bindings),
    get(`${bindings}/a`),
    put(`${bindings}/a`, {}),
    post("/api/v1/bindings", {}),
    get("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a"),
    post("/apis/authorization.k8s.io/v1/localsubjectaccessreviews", {}),
  ]),
];
