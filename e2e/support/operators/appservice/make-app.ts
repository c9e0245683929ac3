import { expect } from "vitest";
import { AppService, type AppServiceSpec } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import type { Key, ScenarioContext } from "./context.ts";

/** Creates an app, and waits until the operator has observed it. */
export async function made(context: ScenarioContext, key: Key, spec: AppServiceSpec): Promise<Key> {
  await context.create(key, spec);
  await context.observed(key);
  await expectContent(context, key);
  return key;
}

/** Waits until an app has no problem. */
export async function expectContent(context: ScenarioContext, key: Key): Promise<void> {
  await context.eventually(async () => {
    const { status } = await context.client.get(AppService, key);
    const degraded = status?.conditions?.find(({ type }) => type === "Degraded");
    expect(degraded).toMatchObject({ reason: "AsExpected", message: "" });
  });
}
