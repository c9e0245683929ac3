import { get, merge, post, remove, story } from "../story.js";
const cm = "/api/v1/namespaces/{ns}/configmaps";
const make = (name, app = "x") => post(cm, { metadata: { name, labels: { app } } });
const from = (step, more = "") => get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion={${step}.metadata.resourceVersion}${more}`);
export const watches = [
    story("from a revision", [
        make("a"),
        merge(`${cm}/a`, { data: { k: "v" } }),
        make("b"),
        remove(`${cm}/a`),
        from(1),
        get(`${cm}?watch=1&timeoutSeconds=1`),
        get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion=0`),
        from(3, "&fieldSelector=metadata.name%3Da"),
    ]),
    story("selectors", [
        make("a"),
        merge(`${cm}/a`, { metadata: { labels: { app: "y" } } }),
        merge(`${cm}/a`, { metadata: { labels: { app: "x" } } }),
        merge(`${cm}/a`, { data: { k: "v" } }),
        remove(`${cm}/a`),
        from(1, "&labelSelector=app%3Dx"),
        from(1, "&labelSelector=app%3Dy"),
    ]),
    story("initial events", [
        make("a"),
        make("b"),
        get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`),
        get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=true`),
        get(`${cm}?watch=1&timeoutSeconds=1&resourceVersionMatch=NotOlderThan`),
        get(`${cm}?watch=1&timeoutSeconds=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion={1.metadata.resourceVersion}`),
    ]),
    story("errors", [
        get(`${cm}?watch=1&timeoutSeconds=1&resourceVersion=x`),
        get(`${cm}?watch=1&timeoutSeconds=x`),
        get(`${cm}?watch=1&timeoutSeconds=1&labelSelector=a%3D%3D%3D`),
        { ...get(`${cm}?watch=1&timeoutSeconds=1`), accept: "text/html" },
    ]),
    story("representations", [
        make("a"),
        get(`${cm}?watch=1&timeoutSeconds=1`, "application/json;as=Table;v=v1;g=meta.k8s.io"),
        get(`${cm}?watch=1&timeoutSeconds=1`, "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"),
    ]),
    story("old paths", [
        make("a"),
        get("/api/v1/watch/namespaces/{ns}/configmaps?timeoutSeconds=1"),
        get("/api/v1/watch/namespaces/{ns}/configmaps/a?timeoutSeconds=1"),
    ]),
];
