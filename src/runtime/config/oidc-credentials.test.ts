import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { answerJSON, type StubAnswer, type StubServer, startStubServer } from "../testing/stub-server.ts";
import { authProviderCredentials } from "./oidc-credentials.ts";

const clock = new FakeClock();

function idToken(seconds: number, subject = "me"): string {
  const payload = { sub: subject, exp: clock.now() / 1000 + seconds };
  return `header.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.signature`;
}

async function issuer(token: StubAnswer): Promise<StubServer> {
  const server = await startStubServer((request, response) => {
    if (request.method === "POST") return token(request, response);
    return answerJSON(response, { token_endpoint: `${server.config.server}/token` });
  });
  onTestFinished(() => server.close());
  return server;
}

function user(config: { [key: string]: string }): {
  "auth-provider": { name: string; config: typeof config };
} {
  return { "auth-provider": { name: "oidc", config: { "client-id": "kubectl", ...config } } };
}

const kept = { refresh: false, clock };

test("authProviderCredentials() uses the token of the kubeconfig while it is valid", async () => {
  const token = idToken(600);
  expect(await authProviderCredentials(user({ "id-token": token })).current(kept)).toEqual({ token });
});

test("authProviderCredentials() refreshes a token that has expired, with the newest refresh token", async () => {
  const fresh = idToken(600, "fresh");
  const server = await issuer((_, response) =>
    answerJSON(response, { id_token: fresh, refresh_token: "r2" }),
  );
  const credentials = authProviderCredentials(
    user({ "id-token": idToken(-5), "refresh-token": "r1", "idp-issuer-url": `${server.config.server}/` }),
  );
  const both = await Promise.all([credentials.current(kept), credentials.current(kept)]);
  expect(both).toEqual([{ token: fresh }, { token: fresh }]);
  await credentials.current(kept);
  const posts = (): string[] =>
    server.requests.flatMap(({ method, body }) => (method === "POST" ? [body] : []));
  expect(posts()).toEqual(["grant_type=refresh_token&refresh_token=r1&client_id=kubectl"]);
  await credentials.current({ refresh: true, clock });
  expect(posts()[1]).toContain("refresh_token=r2");
});

test("authProviderCredentials() reports what is wrong", async () => {
  const server = await issuer((_, response) => answerJSON(response, { error: "invalid_grant" }, 400));
  const expired = authProviderCredentials(user({ "id-token": idToken(-5) }));
  await expect(expired.current(kept)).rejects.toThrow("nothing to refresh it with");
  const refused = authProviderCredentials(
    user({ "refresh-token": "r", "idp-issuer-url": server.config.server }),
  );
  await expect(refused.current(kept)).rejects.toThrow("invalid_grant");
  const gone = { "auth-provider": { name: "gcp" } };
  expect(() => authProviderCredentials(gone)).toThrow('"gcp" of the kubeconfig is no longer supported');
});

test("authProviderCredentials() fails if the issuer's answer breaks off", async () => {
  const server = await issuer((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
    response.write('{"id_token":', () => response.socket?.resetAndDestroy());
  });
  const credentials = authProviderCredentials(
    user({ "refresh-token": "r", "idp-issuer-url": server.config.server }),
  );
  await expect(credentials.current(kept)).rejects.toThrow(
    `could not be refreshed at ${server.config.server}/token`,
  );
});
