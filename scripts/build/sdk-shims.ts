import process from 'node:process';

/**
 * Stands in for the SDK's own shims in the bundle. Those include a JSON Schema validator that takes a tenth
 * of the start-up time and that this server never uses: `run` alone validates.
 */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('this server validates with its own schemas');
  }
}

export { process };
