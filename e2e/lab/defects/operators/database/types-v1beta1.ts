import { type CustomResource, defineKind } from "@tsbuilder/runtime";
import type { UserStatus } from "./types.ts";

export interface UserSpec {
  databaseRef: {
    /**
     * +kubebuilder:validation:MinLength=1
     * +kubebuilder:validation:MaxLength=253
     */
    name: string;
  };
  /** The user may read, and not write. */
  readOnly?: boolean;
  /**
   * Other namespaces that get a copy of the Secret.
   * +kubebuilder:validation:MaxItems=10
   * +kubebuilder:validation:items:MinLength=1
   * +kubebuilder:validation:items:MaxLength=63
   * +listType=set
   */
  namespaces?: string[];
}

/**
 * User is a login of a Database, with its password in a Secret.
 * +kubebuilder:subresource:status
 */
export interface User extends CustomResource<UserSpec, UserStatus> {}
export const User = defineKind<User>(
  { group: "db.example.com", version: "v1beta1" },
  { kind: "User", plural: "users" },
);
