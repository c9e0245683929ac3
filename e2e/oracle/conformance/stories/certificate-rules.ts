import { merge, post, remove, type Story, story } from "../story.ts";

const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
/** A request with a valid signature, in base64. */
const request =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISE1HNENBUUF3RERFS01BZ0dBMVVFQXd3QllUQlpNQk1HQnlxR1NNNDlBZ0VHQ0NxR1NNNDlBd0VIQTBJQQpCUDBKWmZIdjVYOWJ2MWpma1Zoc1A4YnpxZVYrMkkvZGpSeWZmWnBzdEkrVU94UlNRNm5uY20wMWZIREgxOHRhCkZoZGNwb3ZvbjZHT2tWZ3hXZ3dZbU9HZ0FEQUtCZ2dxaGtqT1BRUURBZ05KQURCR0FpRUExbGZYUEt2UU14N3UKdENnUlpQbGx6ZWQ0T3cyRVZ0cE9Bc25qSmtMN2NhOENJUUQ5UjR0bFoxNnRwZktOUFh3K3lMWlFrdnk3cS9LRApVMjdOTkRqYlhTSmFJZz09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=";
/** Objects are answered by their metadata, as the users of both servers differ. */
const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
const signing = (name: string, fields: object) => {
  const spec = { request, signerName: "example.com/signer", usages: ["client auth"], ...fields };
  return post(path, { metadata: { name: `{ns}-${name}` }, spec }, { accept });
};
const change = (endpoint: string, status: object) =>
  merge(`${path}/{ns}-good/${endpoint}`, { status }, { accept });
const condition = (type: string, status = "True") => ({ type, status });

export const certificateRules: readonly Story[] = [
  story("rules of certificate signing requests", [
    signing("text", { request: "YQ==" }),
    signing("empty", { request: "" }),
    signing("signer", { signerName: "signer" }),
    signing("legacy", { signerName: "kubernetes.io/legacy-unknown" }),
    signing("domain", { signerName: "Example/a_b" }),
    signing("none", { signerName: "", usages: [] }),
  ]),
  story("rules of a certificate signing request's status", [
    signing("good", {}),
    change("approval", {
      conditions: [condition("Approved", "False"), condition("", "Odd"), { type: "Own" }],
    }),
    change("approval", { conditions: [condition("Approved"), condition("Denied"), condition("Approved")] }),
    change("status", { certificate: "YQ==" }),
    change("status", { conditions: [condition("Approved")] }),
    change("status", { conditions: [condition("Failed")] }),
    change("status", { conditions: [] }),
    change("approval", { conditions: [condition("Failed"), condition("Approved")] }),
  ]),
  story("metadata of certificate signing requests", [
    post(
      path,
      { metadata: { name: "A_b" }, spec: { request, signerName: "a.b/c", usages: ["any"] } },
      { accept },
    ),
    ...["", "/status", "/approval"].flatMap((endpoint) => [
      merge(`${path}/A_b${endpoint}`, { metadata: { annotations: { "A b": "" } } }, { accept }),
      merge(`${path}/A_b${endpoint}`, { metadata: { finalizers: ["A b"] } }, { accept }),
    ]),
    remove(`${path}/A_b`),
  ]),
];
