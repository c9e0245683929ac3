import type { AccessOracle, AccessQuestion } from "@tsbuilder/apimachinery/cel";
import type { Attributes, Authorizer } from "../contract/authorizer.ts";
import { serviceAccountUser, type User } from "../contract/user.ts";

/** Answers what expressions ask about access, for one user. */
export function accessOracle(authorizer: Authorizer, user: User): AccessOracle {
  return {
    decide: (question) => authorizer.decide(user, attributesOf(question)),
    serviceAccount: (namespace, name) => accessOracle(authorizer, serviceAccountUser(namespace, name)),
  };
}

const nothing = { group: "", resource: "", subresource: "", namespace: "", name: "" };

function attributesOf({ verb, resource, path = "" }: AccessQuestion): Attributes {
  const isResource = resource !== undefined;
  return { ...nothing, ...resource, verb, isResource, version: isResource ? "*" : "", path };
}
