import { Controller, Get, Header, Inject } from '@nestjs/common';
import { METHODS, type Methods } from '../jsonrpc/methods.js';

/** The OpenRPC document for people and tools that come by HTTP: the same as the method rpc.discover answers. */
@Controller()
export class OpenRpcController {
  #text: string | null = null;

  constructor(@Inject(METHODS) private readonly methods: Methods) {}

  @Get('openrpc.json')
  @Header('content-type', 'application/json; charset=utf-8')
  async document(): Promise<string> {
    // It does not change; written once it costs nothing however often it is asked for.
    this.#text ??= JSON.stringify(await this.methods.get('rpc.discover')?.run([], { ip: '', connection: null }));
    return this.#text;
  }
}
