import { createClient, loadConfig } from "@tsbuilder/runtime";

/** Changes the Shop `shop-sample` again and again, each time through its webhooks. */
export async function startTraffic(kubeconfig: string, version: string) {
  const client = createClient(await loadConfig({ kubeconfig, env: {} }));
  const refusals: string[] = [];
  let requests = 0;
  const end = new AbortController();
  const send = async (): Promise<void> => {
    while (!end.signal.aborted) {
      requests += 1;
      await client
        .request({
          method: "PATCH",
          path: `/apis/apps.example.com/${version}/namespaces/default/shops/shop-sample`,
          headers: { "content-type": "application/merge-patch+json" },
          body: { metadata: { annotations: { [`change-${version}`]: String(requests) } } },
        })
        .catch((error: unknown) => refusals.push(String(error)));
    }
  };
  const sending = send();
  return {
    /** How many were sent, and why some were refused. */
    async stop() {
      end.abort();
      await sending;
      await client.close();
      return { requests, refusals };
    },
  };
}
