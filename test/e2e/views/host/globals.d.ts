import type { CallToolResult, ReadResourceResult, Tool } from '@modelcontextprotocol/client';
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps/app-bridge';

declare global {
  interface Window {
    /** From the test: passes a call of the view on to the server. */
    passOn(name: string, args: Record<string, unknown>): Promise<CallToolResult>;
    /** From the test: reads a resource for the view. */
    readThrough(uri: string): Promise<ReadResourceResult>;
    /** From the test: takes a text that the view passes to the model. */
    toldModel(text: string): Promise<void>;
    /** From the test: takes a link that the view wants to open. */
    openedLink(url: string): Promise<void>;
    /** For the test: its ways to control the host. */
    host: {
      show(shown: {
        html: string;
        tool: Tool;
        context: McpUiHostContext;
        capabilities: Record<string, object>;
        input: Record<string, unknown>;
      }): Promise<void>;
      sendResult(result: CallToolResult): Promise<void>;
      cancel(reason: string): Promise<void>;
      setContext(context: McpUiHostContext): void;
      /** Shows a question above the view, for a picture. */
      present(question: string, theme: 'light' | 'dark'): void;
      teardown(): Promise<unknown>;
    };
  }
}
