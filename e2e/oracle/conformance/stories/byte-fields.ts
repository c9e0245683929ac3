import { merge, post, put, type Step, type Story, story } from "../story.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const webhook = {
  name: "a.b.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["nothing"] }],
};
const url = "https://127.0.0.1:1/a";
const metadata = { name: "{ns}" };
const dryRun = "dryRun=All";

const configuration = (kind: string, caBundle: unknown, more: object = {}): Step =>
  post(`${admission}/${kind}?${dryRun}`, {
    metadata,
    webhooks: [{ ...webhook, clientConfig: { url, caBundle }, ...more }],
  });

const definition = (caBundle: unknown): object => ({
  metadata: { name: "things.{group}" },
  spec: {
    group: "{group}",
    scope: "Namespaced",
    names: { kind: "Thing", plural: "things" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url, caBundle } },
    },
  },
});

const server = (caBundle: unknown): object => ({
  metadata: { name: "v1.{group}" },
  spec: {
    group: "{group}",
    version: "v1",
    groupPriorityMinimum: 1,
    versionPriority: 1,
    service: { name: "a", namespace: "a" },
    caBundle,
  },
});

const request = (bytes: unknown): object => ({
  metadata,
  spec: { signerName: "a.example.com/b", usages: ["client auth"], request: bytes },
});

/** Texts that are not base64: wrong characters, lengths and paddings, with line breaks between. */
const malformed = [
  "%",
  "abc",
  "abcde",
  "ab=c",
  "a=",
  "=",
  "====",
  "ab==cd",
  "ab=\n",
  "abc=\nd",
  "ab\ncd\nef",
  "ab\ncd\ne%",
  "abcdefghé",
  "ab_-",
  " abcd",
];

/** Fields of bytes, which Go decodes from base64 while it reads the body. */
export const byteFields: readonly Story[] = [
  story(
    "base64 that is malformed",
    malformed.map((bytes) =>
      post(`/api/v1/namespaces/{ns}/secrets?${dryRun}`, { metadata: { name: "a" }, data: { a: bytes } }),
    ),
  ),
  story("a caBundle that is not base64", [
    configuration("validatingwebhookconfigurations", "@@"),
    configuration("mutatingwebhookconfigurations", "abc"),
    configuration("validatingwebhookconfigurations", 5),
    configuration("validatingwebhookconfigurations", "@@", { timeoutSeconds: "x" }),
    configuration("validatingwebhookconfigurations", "@@", { name: 5 }),
    post(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions?${dryRun}`, definition("@@")),
    post(`/apis/apiregistration.k8s.io/v1/apiservices?${dryRun}`, server("@@")),
    post(`/apis/certificates.k8s.io/v1/certificatesigningrequests?${dryRun}`, request("@@")),
    post(`/apis/apiregistration.k8s.io/v1/apiservices`, server("YQ==")),
    put(`/apis/apiregistration.k8s.io/v1/apiservices/v1.{group}?${dryRun}`, server("Y%")),
    merge(`/apis/apiregistration.k8s.io/v1/apiservices/v1.{group}?${dryRun}`, { spec: { caBundle: "Y" } }),
  ]),
];
