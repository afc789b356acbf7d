// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IBridgeMint} from "../../src/interfaces/IBridgeMint.sol";
import {ReentrantAttacker} from "./ReentrantAttacker.sol";

/// @dev Keeps one percent of every transfer.
contract FeeOnTransferToken is ERC20("Fee", "FEE") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0)) {
            super._update(from, to, value);
            return;
        }
        super._update(from, to, value - value / 100);
        super._update(from, address(0xFEE), value / 100);
    }
}

/// @dev Delivers one unit more than asked for.
contract GenerousToken is ERC20("Generous", "GEN") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        _mint(to, 1);
        return super.transferFrom(from, to, value);
    }
}

/// @dev Uses all the gas that a permit gets.
contract GreedyPermitToken {
    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external pure {
        while (true) {}
    }
}

/// @dev Returns false instead of reverting, if set to.
contract FalseToken is ERC20("False", "FALSE") {
    bool public lies;

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function setLies(bool value) external {
        lies = value;
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return lies ? false : super.transfer(to, value);
    }

    function transferFrom(address from, address to, uint256 value) public override returns (bool) {
        return lies ? false : super.transferFrom(from, to, value);
    }
}

/// @dev Returns nothing, as USDT does.
contract SilentToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// @dev A bridged token that answers a burn with another burn.
contract ReentrantBurnToken {
    IBridgeMint private immutable _bridgeMint;
    uint256 public handedIn;

    constructor(IBridgeMint bridgeMint) {
        _bridgeMint = bridgeMint;
    }

    function bridgeTransfer(address, address, uint256 amount) external {
        handedIn += amount;
        if (handedIn == amount) _bridgeMint.burn(address(this), amount, address(0xD0D0), amount);
    }
}

/// @dev A bridged token that re-enters its bridge from every call.
contract ReentrantBridgedToken is ReentrantAttacker {
    receive() external payable {}

    function mint(address, uint256) external returns (bool) {
        _attack();
        return true;
    }

    function bridgeRefund(address, address, uint256) external {
        _attack();
    }

    function bridgeTransfer(address, address, uint256) external {
        _attack();
    }

    function retire(address, uint256) external {
        _attack();
    }
}
