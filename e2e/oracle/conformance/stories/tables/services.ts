import { type Story, story } from "../../story.ts";
import { core, named, showTable } from "./show-table.ts";

const networking = "/apis/networking.k8s.io/v1";
const selector = { matchLabels: { app: "x" } };

/** Services, their endpoints, and routing. */
export const serviceTables: Story = story("services", [
  ...showTable(`${core}/services`, named("a", { spec: { selector: { app: "x" }, ports: [{ port: 80 }] } })),
  ...showTable(
    `${core}/services`,
    named("b", { spec: { clusterIP: "None", ports: [{ port: 53, protocol: "UDP" }] } }),
  ),
  ...showTable(
    `${core}/services`,
    named("c", { spec: { type: "ExternalName", externalName: "example.com" } }),
  ),
  ...showTable(
    `${core}/services`,
    named("d", {
      spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
    }),
  ),
  ...showTable(
    `${core}/services`,
    named("e", {
      spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
    }),
    { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "lb.example.com" }] } },
  ),
  ...showTable(
    `${core}/endpoints`,
    named("x", { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] }),
  ),
  ...showTable(`${core}/endpoints`, named("empty", {})),
  ...showTable(
    "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
    named("x", {
      addressType: "IPv4",
      endpoints: [{ addresses: ["1.2.3.4"] }, { addresses: ["1.2.3.5"] }],
      ports: [{ port: 80 }],
    }),
  ),
  ...showTable(
    `${networking}/namespaces/{ns}/ingresses`,
    named("a", {
      spec: {
        ingressClassName: "nginx",
        tls: [{ hosts: ["h"] }],
        rules: [
          {
            host: "h",
            http: {
              paths: [
                {
                  path: "/",
                  pathType: "Prefix",
                  backend: { service: { name: "s", port: { number: 80 } } },
                },
              ],
            },
          },
        ],
      },
    }),
  ),
  ...showTable(
    `${networking}/namespaces/{ns}/networkpolicies`,
    named("a", { spec: { podSelector: selector } }),
  ),
  ...showTable(
    `${networking}/ingressclasses`,
    named("{ns}-a", {
      spec: { controller: "example.com/c", parameters: { kind: "K", name: "p", apiGroup: "example.com" } },
    }),
  ),
]);
