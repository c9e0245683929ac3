/** An operator like JOSDK's sample webpage: HTML in a ConfigMap, served by nginx, with an Ingress if it is exposed. */
import {
  Children,
  type Condition,
  type CustomResource,
  defineKind,
  type Manager,
  pruneServicePorts,
  setCondition,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";

interface WebPage extends CustomResource<{ html: string; exposed?: boolean }, { conditions?: Condition[] }> {}
export const WebPage = defineKind<WebPage>(
  { group: "example.com", version: "v1" },
  { kind: "WebPage", plural: "webpages" },
);

export function setupWebPageController(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(WebPage)
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .owns(Ingress)
    .complete({
      async reconcile(request) {
        const page = await client.find(WebPage, request);
        if (!page) return;
        const { name } = request;
        const { html, exposed = false } = page.spec;
        const labels = { app: name };
        const children = new Children(client, page, { clock });
        const config = children.add(ConfigMap, name, { metadata: { labels }, data: { "index.html": html } });
        const container = {
          name: "nginx",
          image: "nginx:1.29",
          volumeMounts: [{ name: "html", mountPath: "/usr/share/nginx/html" }],
        };
        const volumes = [{ name: "html", configMap: { name } }];
        const pods = children.add(
          Deployment,
          name,
          {
            metadata: { labels },
            spec: {
              selector: { matchLabels: labels },
              template: { metadata: { labels }, spec: { containers: [container], volumes } },
            },
          },
          { after: config },
        );
        const service = children.add(
          Service,
          name,
          { metadata: { labels }, spec: { selector: labels, ports: [{ port: 80 }] } },
          { prepare: pruneServicePorts },
        );
        const backend = { service: { name, port: { number: 80 } } };
        // Nobody is sent to a page that isn't there.
        children.add(Ingress, name, exposed && { metadata: { labels }, spec: { defaultBackend: backend } }, {
          after: [pods, service],
        });
        await children.apply();
        const conditions = setCondition(page.status?.conditions, children.condition("Ready"), clock);
        await client.patchStatus(WebPage, page, { conditions });
        return children.result(conditions[0]);
      },
    });
}
