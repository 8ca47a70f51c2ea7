"""The shop's addresses."""

from django.urls import path, register_converter

from demo.shop.addresses import OrderNumber
from demo.shop.views import account, backend, cart, checkout, orders, shelves

register_converter(OrderNumber, "order")

urlpatterns = [
    path("", shelves.home, name="home"),
    path("category/<slug:slug>/", shelves.category, name="category"),
    path("search/", shelves.search, name="search"),
    path("product/<slug:sku>/", shelves.product, name="product"),
    path("stock/<slug:sku>/", shelves.stock, name="stock"),
    path("newsletter/", shelves.newsletter, name="newsletter"),
    path("cart/", cart.cart, name="cart"),
    path("cart/add/", cart.add, name="cart-add"),
    path("cart/update/", cart.update, name="cart-update"),
    path("cart/remove/", cart.remove, name="cart-remove"),
    path("cart/coupon/", cart.coupon, name="coupon"),
    path("gift-card/", cart.gift_card, name="gift-card"),
    path("checkout/", checkout.checkout, name="checkout"),
    path("checkout/address/", checkout.address, name="checkout-address"),
    path("checkout/payment/", checkout.payment, name="checkout-payment"),
    path("checkout/review/", checkout.review, name="checkout-review"),
    path("checkout/place/<slug:placed_from>/", checkout.place, name="place"),
    path("orders/", orders.history, name="orders"),
    path("orders/<order:number>/", orders.order, name="order"),
    path("orders/<order:number>/thanks/", orders.confirmation, name="confirmation"),
    path("orders/<order:number>/cancel/", orders.cancel, name="order-cancel"),
    path("account/", account.account, name="account"),
    path("account/sign-in/", account.sign_in, name="sign-in"),
    path("account/sign-up/", account.sign_up, name="sign-up"),
    path("account/sign-out/", account.sign_out, name="sign-out"),
    path("enter/<str:code>", backend.enter, name="enter"),
    path("__worlds", backend.make_world, name="worlds"),
    path("__worlds/<str:name>", backend.world, name="world"),
    path("__state", backend.state, name="state"),
    path("__reset", backend.reset, name="reset"),
]
