import { Controller, Get, Inject } from '@nestjs/common';
import { METHODS, type Methods } from '../json-rpc/methods.js';

/** The OpenRPC document for people and tools that come by HTTP. */
@Controller()
export class OpenRpcController {
  constructor(@Inject(METHODS) private readonly methods: Methods) {}

  /** The same as the method rpc.discover answers. */
  @Get('openrpc.json')
  async document(): Promise<unknown> {
    return await this.methods.get('rpc.discover')?.run([], { ip: '', connection: null });
  }
}
