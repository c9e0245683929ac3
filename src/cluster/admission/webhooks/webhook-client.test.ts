import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { WebhookClient } from "./webhook-client.ts";

test("a webhook whose address is in another network is called through that network", async () => {
  const server = createServer((request, response) =>
    response.end(JSON.stringify({ at: request.headers.host })),
  );
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const reached: string[] = [];
  const client = new WebhookClient(() => undefined, {
    reach: (host) =>
      host !== "10.200.0.1"
        ? undefined
        : async (...target) => {
            reached.push(target.join(":"));
            const socket = connect(port, "127.0.0.1");
            await once(socket, "connect");
            return socket;
          },
  });
  const config = { url: "http://10.200.0.1:9443/review" };
  expect(await client.post(config, {}, 10)).toEqual({ at: "10.200.0.1:9443" });
  expect(await client.post({ url: `http://127.0.0.1:${port}/` }, {}, 10)).toEqual({
    at: `127.0.0.1:${port}`,
  });
  expect(reached).toEqual(["10.200.0.1:9443"]);
});
