import type { BuiltInKind } from "../../built-in-kind.ts";
import { serviceAccountController } from "./controller/service-account-controller.ts";

export const serviceAccount: BuiltInKind<"serviceaccount"> = {
  resource: "serviceaccounts",
  strategy: { returnsDeleted: true },
  cells: {},
  controllers: { serviceaccount: serviceAccountController },
};
