import { expect, test } from "vitest";
import { FakeClock, startTestCluster } from "../testing/index.ts";
import { openWatch } from "../testing/testdata/open-watch.ts";
import { send } from "../testing/send.ts";

const path = "/api/v1/namespaces/default/configmaps";

test("continue tokens expire after five to ten minutes, watches from their revision do not", async () => {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock });
  const get = (query: string) => send(cluster.kubeconfig, { method: "GET", path: `${path}?${query}` });
  for (const name of ["a", "b", "c"]) {
    await send(cluster.kubeconfig, { method: "POST", path, body: { metadata: { name } } });
  }
  const { metadata } = (await get("limit=1")).body as {
    metadata: { continue: string; resourceVersion: string };
  };
  await send(cluster.kubeconfig, { method: "DELETE", path: `${path}/c` });
  const query = `limit=1&continue=${metadata.continue}`;
  await clock.advance(5 * 60_000);
  expect((await get(query)).code).toBe(200);
  await clock.advance(5 * 60_000);
  expect((await get(query)).body).toMatchObject({
    code: 410,
    reason: "Expired",
    message: expect.stringContaining("The provided continue parameter is too old") as string,
  });
  const exact = `resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
  expect((await get(exact)).body).toMatchObject({
    code: 410,
    message: "The resourceVersion for the provided list is too old.",
  });
  const watch = await openWatch(
    cluster.kubeconfig,
    `${path}?watch=1&resourceVersion=${metadata.resourceVersion}`,
  );
  await expect.poll(() => watch.events).toMatchObject([{ type: "DELETED" }]);
  watch.close();
  await cluster.stop();
});
