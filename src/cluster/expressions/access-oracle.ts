import type { AccessOracle, AccessQuestion } from "@tsbuilder/apimachinery/cel";
import {
  type Attributes,
  type Authorizer,
  pathAttributes,
  resourceAttributes,
} from "../contract/authorizer.ts";
import { serviceAccountUser, type User } from "../contract/user.ts";

/** Answers the authorization checks of CEL expressions for one user. */
export function accessOracle(authorizer: Authorizer, user: User): AccessOracle {
  return {
    decide: (question) => authorizer.decide(user, attributesOf(question)),
    serviceAccount: (namespace, name) => accessOracle(authorizer, serviceAccountUser(namespace, name)),
  };
}

function attributesOf({ verb, resource, path = "" }: AccessQuestion): Attributes {
  return resource ? resourceAttributes({ ...resource, verb, version: "*" }) : pathAttributes(verb, path);
}
