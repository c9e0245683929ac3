import { expect, test } from "vitest";
import { parseServicePorts } from "./foreground-cluster.ts";

test("parseServicePorts() finds the local port behind a Service, by its port where one is named", () => {
  const resolve = parseServicePorts(["shop/hooks=9443", "shop/others:443=9000", "shop/others:8443=9001"]);
  expect(resolve("shop", "hooks", 443)).toEqual({ host: "127.0.0.1", port: 9443 });
  expect(resolve("shop", "others", 443)).toEqual({ host: "127.0.0.1", port: 9000 });
  expect(resolve("shop", "others", 8443)).toEqual({ host: "127.0.0.1", port: 9001 });
  expect(resolve("shop", "others", 80)).toBeUndefined();
  expect(resolve("default", "hooks", 443)).toBeUndefined();
});

test.each([
  "hooks=9443",
  "shop/hooks",
  "shop/hooks=",
  "shop/hooks=0",
  "shop/hooks=65536",
  "a/b:c=1",
  "a/b/c=1",
])("parseServicePorts() refuses %s with a hint", (text) => {
  expect(() => parseServicePorts([text])).toThrow(
    expect.objectContaining({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("NAMESPACE/NAME[:PORT]=LOCAL-PORT"),
    }),
  );
});
