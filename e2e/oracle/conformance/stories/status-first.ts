import { apply, get, merge, post, put, remove, type Story, story } from "../story.ts";

const services = "/api/v1/namespaces/{ns}/services";
const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices?dryRun=All";

const service = (name: string, spec: object, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec,
  ...more,
});
const policy = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "{ns}" },
  spec: {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] },
      ],
    },
    validations: [{ expression: "true" }],
  },
};
const ingress = { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } };

/** Writes of the status of objects that don't exist yet: two kinds are created by them. */
export const statusFirst: readonly Story[] = [
  story("a service that its status creates has no address", [
    put(`${services}/a/status`, service("a", { ports: [{ port: 53, name: "a" }], type: "NodePort" })),
    get(`${services}/a`),
    merge(`${services}/a/status`, { status: ingress }),
    remove(`${services}/a`),
    apply(
      `${services}/b/status?fieldManager=m`,
      service("b", { ports: [{ port: 80 }] }, { metadata: { name: "b", labels: { a: "b" } } }),
    ),
    apply(`${services}/c/status?fieldManager=m`, service("c", { clusterIP: "None", ports: [{ port: 80 }] })),
    apply(
      `${services}/d/status?fieldManager=m`,
      service("d", { type: "ExternalName", externalName: "a.b" }, { status: ingress }),
    ),
    put(`${services}/f/status`, service("f", { type: "LoadBalancer", ports: [{ port: 80 }] })),
    put(`${services}/g/status`, service("g", {})),
    merge(`${services}/h/status`, { status: {} }),
  ]),
  story("a policy that an apply of its status creates", [
    apply(`${policies}/{ns}/status?fieldManager=m`, { ...policy, status: { observedGeneration: 3 } }),
    get(`${policies}/{ns}`),
    remove(`${policies}/{ns}`),
    put(`${policies}/{ns}/status`, policy),
    put(`${policies}/{ns}?dryRun=All`, { ...policy, spec: { ...policy.spec, failurePolicy: "" } }),
    post(`${policies}?dryRun=All`, { ...policy, spec: { ...policy.spec, failurePolicy: "" } }),
  ]),
  story("versions that the server serves itself are available at once", [
    post(apiServices, {
      metadata: { name: "v1.remote.example.com" },
      spec: { group: "remote.example.com", version: "v1", groupPriorityMinimum: 1000, versionPriority: 15 },
    }),
    post(apiServices, {
      metadata: { name: "v1.remote.example.com" },
      spec: {
        group: "remote.example.com",
        version: "v1",
        groupPriorityMinimum: 1000,
        versionPriority: 15,
        service: { name: "a", namespace: "b" },
        insecureSkipTLSVerify: true,
      },
      status: { conditions: [] },
    }),
  ]),
];
